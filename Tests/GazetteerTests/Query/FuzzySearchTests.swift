import Domain
import Fuzzing
import GazetteerFixtures
import Testing

@testable import Gazetteer

@Suite("Fuzzy search")
struct FuzzySearchTests {
  private func areOneEditApart(_ a: String, _ b: String) -> Bool {
    Array(a.utf8).withUnsafeBytes { a in Array(b.utf8).withUnsafeBytes { b in EditDistance.areOneEditApart(a, b) } }
  }

  @Test(
    "An insertion, a deletion, a replacement and a swap of neighbours are one edit each",
    arguments: [
      ("berlin", "berln"), ("berlin", "berlinn"), ("berlin", "berlan"), ("berlin", "brelin"), ("berlin", "xberlin"),
      ("berlin", "erlin"), ("berlin", "ebrlin"), ("berlin", "berlni"), ("newyork", "new york"), ("a", ""),
      ("москва", "мсква"), ("москва", "омсква"), ("москва", "моксва"), ("東京都", "東都"), ("東京都", "東都京"),
      ("東京都", "東京郡"), ("naïve", "naive"), ("aab", "ab"), ("abab", "abb"),
    ])
  func oneEdit(a: String, b: String) {
    #expect(areOneEditApart(a, b))
    #expect(areOneEditApart(b, a))
  }

  @Test(
    "Equal texts and texts with two edits are not one edit apart",
    arguments: [
      ("berlin", "berlin"), ("", ""), ("berlin", "belrni"), ("berlin", "bermen"), ("berlin", "brlinn"),
      ("berlin", "be"), ("москва", "масква́"), ("москва", "аомскв"), ("東京都", "京東郡"), ("abcd", "badc"),
    ])
  func otherEdits(a: String, b: String) {
    #expect(!areOneEditApart(a, b))
    #expect(!areOneEditApart(b, a))
  }

  /// Some names share a half with hundreds of others ("Comuna ..."). The search stops after `comparisonsPerQuery`
  /// comparisons, and misses the others.
  @Test("Fuzzy search finds 999 of 1,000 names from a text with one edit")
  func everyEdit() throws {
    let sections = try World.sections.get()
    var random = SeededRandom(seed: 1)
    var checked = 0
    var missed: [String] = []
    while checked < 3_000 {
      let number = UInt32(random.below(sections.nameCount))
      let entry = try #require(sections.name(number))
      let name = String(decoding: entry.bytes, as: UTF8.self)
      let isIndexed = entry.postings.contains {
        guard let posting = sections.posting($0), let place = sections.place(posting.place) else { return false }
        return posting.kind == .official && (posting.isArea || place.population > 0)
      }
      guard isIndexed, (6...40).contains(name.unicodeScalars.count) else { continue }
      let text = Self.edited(name, &random)
      guard text != name else { continue }
      checked += 1
      var found: [Range<UInt32>] = []
      withUnsafePointer(to: sections) { index in
        Array(text.utf8).withUnsafeBytes { bytes in
          var misspelling = FuzzySearch(index)
          misspelling.names(near: bytes) { found.append($0.postings) }
        }
      }
      if !found.contains(entry.postings) { missed.append("\(text) for \(name)") }
    }
    #expect(missed.count <= 3, "\(missed)")
  }

  @Test("A word that is itself a name does not match another name with another first letter")
  func firstLetter() throws {
    #expect(try World.first("Siberia")?.name == "Siberia")
    let index = try Hamlet.index(of: [.city("Berlen", 500), .city("Merlen", 900_000)])
    #expect(index.locate(PlaceQuery("Berlen")).first?.name == "Berlen")
    #expect(index.locate(PlaceQuery("Gerlen")).first?.name == "Merlen")
    let other = try Hamlet.index(of: [.city("Мерлен", 500), .city("Берлен", 900_000), .city("Мерлин", 900_000)])
    #expect(other.locate(PlaceQuery("Мерлен", limit: 3)).map(\.name) == ["Мерлин", "Мерлен"])
  }

  @Test("A city of unknown population matches only its exact name")
  func unknownPopulation() throws {
    let file = TemporaryFile()
    try Hamlet.write(
      """
      gazetteer\t1\tdata © nobody
      C\tAA\t\t10\t20\t5000000\tAland\tAA\t
      P\tAA\t\t10\t20\t1\tOneington\t\t
      P\tAA\t\t11\t20\t0\tNoneston\t\t

      """, to: file.path)
    let index = try PlaceIndex(path: file.path)
    #expect(index.locate(PlaceQuery("Oneingtn")).first?.name == "Oneington")
    #expect(index.locate(PlaceQuery("Noneston")).first?.name == "Noneston")
    #expect(index.locate(PlaceQuery("Nonestn")).isEmpty)
  }

  private static func edited(_ name: String, _ random: inout SeededRandom) -> String {
    var scalars = Array(name.unicodeScalars)
    let at = random.below(scalars.count)
    let other = random.one(of: Array("aeinorst".unicodeScalars))
    switch random.below(4) {
    case 0: scalars.remove(at: at)
    case 1: scalars.insert(other, at: at)
    case 2: scalars[at] = other
    default: scalars.swapAt(at, max(at, 1) - (at == 0 ? 0 : 1))
    }
    return String(String.UnicodeScalarView(scalars))
  }

  @Test(
    "A misspelt place is found with a fuzzy match",
    arguments: [
      ("Seatle, WA", "Seattle", "US"), ("Mnuich Germany", "Munich", "DE"), ("NewYork", "New York City", "US"),
      ("Philadelpia, Pensylvania", "Philadelphia", "US"), ("Kaiserslautemrn", "Kaiserslautern", "DE"),
      ("Санкт-Петерург", "Saint Petersburg", "RU"), ("Ddrban", "Durban", "ZA"),
      ("Rio de Janiero", "Rio de Janeiro", "BR"),
      ("12 Main St, Bostn, MA", "Boston", "US"),
    ])
  func found(text: String, name: String, country: String) throws {
    let place = try #require(try World.first(text))
    #expect(place.name == name && place.countryCode == country)
    #expect(place.match == .fuzzy)
  }

  @Test(
    "A correctly written name gets an exact match", arguments: ["Roma", "Bergen", "Trento", "Lima, Peru"])
  func certain(text: String) throws {
    #expect(try World.first(text)?.match == .exact)
  }
}
