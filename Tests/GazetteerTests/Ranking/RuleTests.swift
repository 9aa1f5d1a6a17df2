import Domain
import GazetteerFixtures
import Testing

@testable import Gazetteer

/// The rules by which text is parsed, from public cases of other geocoders, on the committed data.
@Suite("Matching rules")
struct RuleTests {
  private func expect(
    _ text: String, _ label: String, _ levels: Set<Place.Level> = [.city], match: Place.Match? = .exact,
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let place = try World.first(text)
    #expect(place?.label == label, "\(text)", sourceLocation: location)
    #expect(place.map { levels.contains($0.level) } ?? false, "\(text)", sourceLocation: location)
    if let match { #expect(place?.match == match, "\(text)", sourceLocation: location) }
  }

  @Test(
    "R1: A city outranks the region of the same name around it",
    arguments: [
      ("New York", "New York City, New York, United States"), ("Salzburg", "Salzburg, Austria"),
      ("São Paulo", "São Paulo, Brazil"), ("Sibiu", "Sibiu, Sibiu County, Romania"),
      ("Neuchâtel", "Neuchâtel, Switzerland"), ("Zürich", "Zürich, Zurich, Switzerland"), ("Kyoto", "Kyoto, Japan"),
      ("Québec", "Québec, Quebec, Canada"), ("Washington", "Washington, District of Columbia, United States"),
    ])
  func city(text: String, label: String) throws {
    try expect(text, label)
  }

  @Test(
    "R1: A name with a region word, or with the level of a region, means the region",
    arguments: [
      ("sao paulo state", "São Paulo, Brazil"), ("province of Salzburg", "Salzburg, Austria"),
      ("Salzburg state", "Salzburg, Austria"), ("state of New York", "New York, United States"),
      ("New York state", "New York, United States"), ("Washington state", "Washington, United States"),
      ("Moscow Oblast", "Moscow Oblast, Russia"),
    ])
  func region(text: String, label: String) throws {
    try expect(text, label, [.region])
    let wanted = try World.index.get().locate(PlaceQuery("New York", levels: [.region])).first
    #expect(wanted?.label == "New York, United States")
  }

  @Test("R1: A city with a 64th of its region's inhabitants takes the region's bare name")
  func everyRegion() throws {
    let world = try Lineages()
    var checked = 0
    for city in world.cities {
      guard let region = world.sections.place(city.region), world.name(region) == world.name(city),
        UInt64(city.population) * 64 >= UInt64(region.population)
      else { continue }
      checked += 1
      let place = try World.first(world.name(city))
      #expect(place?.level != .region || place?.countryCode != world.code(city), "\(world.name(city))")
    }
    #expect(checked > 500)
  }

  @Test(
    "R1: A city eclipses its region with a 64th of the inhabitants, or with a 16th by an alternate name"
  )
  func share() throws {
    for (population, level) in [(9_999, Place.Level.region), (10_000, .city), (10_001, .city)] {
      #expect(try Self.fixture(region: 640_000, city: "Midden\t\t", population).level == level, "\(population)")
    }
    // An alternate name of the city has less weight.
    for (population, level) in [(39_999, Place.Level.region), (40_000, .city), (40_001, .city)] {
      #expect(try Self.fixture(region: 640_000, city: "Midden City\t\tMidden", population).level == level)
    }
  }

  private static func fixture(region: Int, city: String, _ population: Int) throws -> Place {
    let file = TemporaryFile()
    try Hamlet.write(
      """
      gazetteer\t1\tdata © nobody
      C\tAA\t\t10\t20\t5000000\tAland\tAA\t
      R\tAA\t01\t11\t21\t\(region)\tMidden\t\t
      P\tAA\t01\t11.5\t21.5\t\(population)\t\(city)

      """, to: file.path)
    return try #require(try PlaceIndex(path: file.path).locate(PlaceQuery("Midden")).first)
  }

  @Test(
    "R2: A code with several meanings means the area that contains the city",
    arguments: [
      ("Vancouver, CA", "Vancouver, British Columbia, Canada"), ("Köln, DE", "Köln, North Rhine-Westphalia, Germany"),
      ("Half Moon Bay, CA", "Half Moon Bay, California, United States"), ("London, CA", "London, Ontario, Canada"),
      ("Perth, WA", "Perth, Western Australia, Australia"), ("Seattle, wa", "Seattle, Washington, United States"),
      ("dover, de", "Dover, Delaware, United States"), ("moscow, id", "Moscow, Idaho, United States"),
      ("guelph on", "Guelph, Ontario, Canada"), ("Portland OR", "Portland, Oregon, United States"),
      ("Mumbai, IN", "Mumbai, Maharashtra, India"), ("Indianapolis, IN", "Indianapolis, Indiana, United States"),
      ("ponce, pr", "Ponce, Puerto Rico"), ("pago pago, as", "Pago Pago, Eastern District, American Samoa"),
      ("cuenca ecu", "Cuenca, Azuay, Ecuador"), ("krabi tha", "Krabi, Thailand"),
      ("SF CA", "San Francisco, California, United States"), ("S.F. C.A.", "San Francisco, California, United States"),
      ("albany ny usa", "Albany, New York, United States"), ("toronto ont", "Toronto, Ontario, Canada"),
      ("Washington DC", "Washington, District of Columbia, United States"),
    ])
  func codes(text: String, label: String) throws {
    try expect(text, label)
  }

  @Test("R2: A code alone is the country", arguments: [("ITA", "IT"), ("FRA", "FR"), ("jp", "JP"), ("UK", "GB")])
  func bareCodes(text: String, country: String) throws {
    let place = try #require(try World.first(text))
    #expect(place.level == .country && place.countryCode == country && place.match == .exact)
  }

  @Test("R2: Each state's code finds its largest cities in the US, Canada and Australia")
  func everyState() throws {
    let world = try Lineages()
    let states = world.regionCodes(of: ["US", "CA", "AU"])
    #expect(states.count > 70)
    for (state, code) in states {
      for city in world.largest(in: state, 3) {
        for text in ["\(world.name(city)), \(code)", "\(world.name(city)) \(code)"] {
          let place = try World.first(text)
          #expect(place.map { $0.level == .city && world.isNear($0, city) } ?? false, "\(text)")
        }
      }
    }
  }

  @Test(
    "R3: Small words are codes at the end or after a comma",
    arguments: [
      ("Portland, ME", "Portland, Maine, United States"), ("wilmington de", "Wilmington, Delaware, United States"),
      ("Portland or", "Portland, Oregon, United States"), ("Denver, CO", "Denver, Colorado, United States"),
      ("Cartagena, CO", "Cartagena, Bolívar, Colombia"), ("boise id", "Boise, Idaho, United States"),
      ("Baltimore md", "Baltimore, Maryland, United States"),
    ])
  func lastWords(text: String, label: String) throws {
    try expect(text, label)
  }

  @Test(
    "R3: Small words are not codes elsewhere",
    arguments: [
      "one or two", "it is on", "in or on", "la la la", "let me in", "what is it", "you and me", "by and by",
      "all in all", "I am here", "on my way", "de facto", "al dente", "who is in",
    ])
  func words(text: String) throws {
    #expect(try World.first(text) == nil)
  }

  @Test("R3: A small word alone can be a country's code, but a region's code only in capitals")
  func bareWords() throws {
    for (word, country) in [("in", "IN"), ("de", "DE"), ("is", "IS"), ("no", "NO"), ("it", "IT"), ("me", "ME")] {
      let place = try World.first(word)
      #expect(place?.level == .country && place?.countryCode == country, "\(word)")
    }
    for word in ["on", "or"] { #expect(try World.first(word)?.level != .region, "\(word)") }
    for (code, name) in [("OH", "Ohio"), ("OR", "Oregon"), ("HI", "Hawaii")] {
      #expect(try World.first(code)?.name == name)
    }
  }

  @Test(
    "R3: A small word or a code with unmatched words is not a place",
    arguments: ["not me", "move it", "no it is not"])
  func unmatchedWords(text: String) throws {
    #expect(try World.first(text) == nil)
  }

  @Test(
    "R3: A city's name inside a phrase has a low confidence",
    arguments: ["come to me", "oh my god", "a la carte"])
  func phrases(text: String) throws {
    #expect(try World.first(text).map(\.confidence) ?? 0 < 0.5)
  }

  @Test(
    "R4: A street and its number stay unmatched, and places in the street's name are ignored",
    arguments: [
      ("12 Oxford St, Cambridge, MA", "Cambridge", "US"), ("via milano 7 torino", "Turin", "IT"),
      ("praha 3 brno", "Brno", "CZ"), ("Hradec Králové 3 Kladno", "Kladno", "CZ"),
      ("Brno střed 3 Opava", "Opava", "CZ"), ("33 avenue du maine paris", "Paris", "FR"),
      ("100 Berlin Turnpike, Wethersfield, CT", "Wethersfield", "US"), ("London Road 5, Brighton", "Brighton", "GB"),
      ("82 Clerkenwell Road, London, EC1M 5RF, United Kingdom", "London", "GB"),
      ("123 Main St New York NY 10010", "New York City", "US"), ("1 Paris Road, London", "London", "GB"),
      ("10 rue de Rome, Marseille", "Marseille", "FR"), ("Berliner Str. 5, Hamburg", "Hamburg", "DE"),
      ("Madison Avenue 350, New York", "New York City", "US"), ("calle yves 3, Madrid", "Madrid", "ES"),
      ("12 rue herman, Paris", "Paris", "FR"), ("4 or 5 Main Street, Dallas", "Dallas", "US"),
      ("Le Port 5, Nantes", "Nantes", "FR"), ("house in paris", "Paris", "FR"),
    ])
  func streets(text: String, name: String, country: String) throws {
    let place = try #require(try World.first(text))
    #expect(place.name == name && place.countryCode == country)
    #expect(place.match == .fallback)
    #expect(place.confidence < 0.8)
  }

  @Test("R4: Unmatched words reduce the confidence")
  func skipped() throws {
    func confidence(_ text: String) throws -> Double { try #require(try World.first(text)).confidence }
    let city = try confidence("Cambridge, MA")
    let street = try confidence("12 Oxford St, Cambridge, MA")
    #expect(try city > street && street > confidence("12 Long Winding Oxford St, Cambridge, MA"))
  }

  @Test(
    "R5: The wider place may come first",
    arguments: [
      ("France Paris", "Paris, Île-de-France, France"), ("Germany, Bavaria, Munich", "Munich, Bavaria, Germany"),
      ("日本 大阪", "Osaka, Japan"),
      ("Россия, Москва", "Moscow, Russia"),
      ("中環, 香港", "Central, Central and Western, Hong Kong"), ("USA, Texas, Austin", "Austin, Texas, United States"),
      ("USA Texas Austin", "Austin, Texas, United States"),
      ("東京都渋谷区", "Shibuya, Tokyo, Japan"), ("광명시", "Gwangmyeong, Gyeonggi-do, South Korea"),
    ])
  func reversed(text: String, label: String) throws {
    try expect(text, label)
  }

  @Test(
    "R5: Text from wide to narrow finds the narrowest place",
    arguments: [
      ("日本京都", "Kyoto, Japan"), ("中国广州", "Guangzhou, Guangdong, China"),
      ("부산 해운대구", "Haeundae-gu, Busan, South Korea"), ("서울 강남구", "Gangnam-gu, Seoul, South Korea"),
    ])
  func wideToNarrow(text: String, label: String) throws {
    #expect(try World.first(text)?.label == label)
  }

  @Test(
    "R5: A city outranks the county of the same name, and both outrank their region",
    arguments: [
      ("Paris, Île-de-France, France", "Paris, Île-de-France, France"),
      ("Yingkou, Liaoning, China", "Yingkou, Liaoning, China"),
    ])
  func narrowest(text: String, label: String) throws {
    let place = try #require(try World.first(text))
    #expect(place.label == label && place.level == .city)
  }

  @Test(
    "R5: The city may come before its street",
    arguments: [
      ("Brno Česká 12", "Brno", Place.Level.city), ("Olomouc, Pražská 9", "Olomouc", .city),
      ("1052 Budapest Váci utca 8", "Budapest", .postcode),
    ])
  func cityFirst(text: String, name: String, level: Place.Level) throws {
    let place = try #require(try World.first(text))
    #expect(place.name == name && place.level == level && place.match == .fallback)
  }
}
