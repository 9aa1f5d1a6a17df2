/// The roles of common words, by the hash of the folded token: street words, small words, and words for kinds of
/// places.
struct Vocabulary: Sendable {
  enum Role: UInt8, Sendable {
    /// An ordinary word.
    case none = 0
    /// A word after the name of a street: "Oxford St".
    case streetSuffix
    /// A word before the name of a street: "via Milano".
    case streetPrefix
    /// A word before or after the name of a street: "avenue du Maine", "Fifth Avenue".
    case street
    /// A small word, which is sometimes a place's name and usually a part of one.
    case particle
    /// A word for the kind of a place: "city of", "county", "oblast".
    case designator
    /// A word which says that a name means a first-level region, not the city of that name.
    case regionDesignator
  }

  static let standard = Vocabulary()

  /// An open hash table. An entry is a word's hash with the role in the lowest byte; 0 marks an empty slot. The size is
  /// a power of two and at least twice the number of words.
  private let slots: [UInt64]

  private init() {
    var slots = [UInt64](repeating: 0, count: 1_024)
    for (role, words) in Self.words {
      for word in words.split(separator: " ") {
        var hash = NameHash()
        var word = String(word)
        word.withUTF8 { hash.add(UnsafeRawBufferPointer($0)) }
        var slot = Int(truncatingIfNeeded: hash.value >> 8) & (slots.count - 1)
        while slots[slot] != 0, slots[slot] >> 8 != hash.value >> 8 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = hash.value & ~0xFF | UInt64(role.rawValue)
      }
    }
    self.slots = slots
  }

  func role(_ hash: UInt64) -> Role {
    slots.withUnsafeBufferPointer { slots in
      var slot = Int(truncatingIfNeeded: hash >> 8) & (slots.count - 1)
      while slots[slot] != 0 {
        if slots[slot] >> 8 == hash >> 8 { return Role(rawValue: UInt8(truncatingIfNeeded: slots[slot])) ?? .none }
        slot = (slot + 1) & (slots.count - 1)
      }
      return .none
    }
  }

  private static let words: [(Role, String)] = [
    (
      .streetSuffix,
      """
      st street rd road dr drive ln lane ct court pl place sq square hwy highway pkwy \
      parkway ter terrace cir circle way trl trail aly alley expy fwy freeway pike loop row crescent cres close \
      gardens \
      grove mews wharf straat laan weg platz gasse gatan vagen vej gade gata katu tie utca ulice \
      sokak sokagi caddesi cad plein kade dong gil ro mall plaza park station airport school hospital university \
      church bridge hotel cafe restaurant
      """
    ),
    (
      .streetPrefix,
      """
      rue via viale vicolo corso piazza calle avenida avda carrera cra rua travessa praca ul ulica aleja aleje al \
      ulitsa \
      prospekt chemin impasse cours route faubourg jalan jl largo paseo \
      camino calzada estrada rodovia strada bulevardul odos
      """
    ),
    (.street, "ave av avenue blvd boulevard bd quai allee passage pasaje strasse str"),
    (
      .particle,
      """
      in on or me de la al as id is no it co md el le les los las un une una der die das den dem von van zu zur zum da \
      do dos du des of the and at to by for near und et y e a i o u am im an ma pa hi oh ok my old new north south \
      east \
      west n s w e ne nw se sw nord sud est ouest norte sur upper lower apt apartment suite ste unit floor fl no nr \
      bldg po box room rm bis ter lot centre center island islands isla insel ile central \
      house building block sector main first second third
      """
    ),
    (.regionDesignator, "state province region prefecture oblast department canton voivodeship governorate krai"),
    (
      .designator,
      """
      city town village county district township municipality \
      republic borough commune bezirk kreis landkreis greater metropolitan metro area cedex
      """
    ),
  ]
}
