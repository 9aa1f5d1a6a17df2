import Domain
import GazetteerFixtures
import Testing

@testable import Gazetteer

/// The rules by which a text is read, which other geocoders' public cases ask for, on the data of the world.
@Suite("Rules of reading")
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
    "R1: A town outranks the region around it that shares its name",
    arguments: [
      ("New York", "New York City, New York, United States"), ("Salzburg", "Salzburg, Austria"),
      ("São Paulo", "São Paulo, Brazil"), ("Sibiu", "Sibiu, Sibiu County, Romania"),
      ("Neuchâtel", "Neuchâtel, Switzerland"), ("Zürich", "Zürich, Zurich, Switzerland"), ("Kyoto", "Kyoto, Japan"),
      ("Québec", "Québec, Quebec, Canada"), ("Washington", "Washington, District of Columbia, United States"),
    ])
  func town(text: String, label: String) throws {
    try expect(text, label)
  }

  @Test(
    "R1: A region that is called one, or asked for by its level, is the region",
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

  @Test("R1: No region is the answer to its bare name where a town in it has the name and a 64th of its inhabitants")
  func everyRegion() throws {
    let world = try Lineages()
    var tried = 0
    for town in world.towns {
      guard let region = world.sections.place(town.region), world.name(region) == world.name(town),
        UInt64(town.population) * 64 >= UInt64(region.population)
      else { continue }
      tried += 1
      let place = try World.first(world.name(town))
      #expect(place?.level != .region || place?.countryCode != world.code(town), "\(world.name(town))")
    }
    #expect(tried > 500)
  }

  @Test(
    "R1: A town with a 64th of its region's inhabitants is meant by the name, with a 16th by another name"
  )
  func share() throws {
    for (population, level) in [(9_999, Place.Level.region), (10_000, .city), (10_001, .city)] {
      #expect(try Self.fixture(region: 640_000, town: "Midden\t\t", population).level == level, "\(population)")
    }
    // The town's other name weighs less.
    for (population, level) in [(39_999, Place.Level.region), (40_000, .city), (40_001, .city)] {
      #expect(try Self.fixture(region: 640_000, town: "Midden City\t\tMidden", population).level == level)
    }
  }

  private static func fixture(region: Int, town: String, _ population: Int) throws -> Place {
    let file = TemporaryFile()
    try Hamlet.write(
      """
      gazetteer\t1\tdata © nobody
      C\tAA\t\t10\t20\t5000000\tAland\tAA\t
      R\tAA\t01\t11\t21\t\(region)\tMidden\t\t
      P\tAA\t01\t11.5\t21.5\t\(population)\t\(town)

      """, to: file.path)
    return try #require(try PlaceIndex(path: file.path).locate(PlaceQuery("Midden")).first)
  }

  @Test(
    "R2: A code is read in every way, and the one under which the town exists is kept",
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

  @Test("R2: The largest towns of each state of the US, Canada and Australia are found with its code")
  func everyState() throws {
    let world = try Lineages()
    let states = world.regionCodes(of: ["US", "CA", "AU"])
    #expect(states.count > 70)
    for (state, code) in states {
      for town in world.largest(in: state, 3) {
        for text in ["\(world.name(town)), \(code)", "\(world.name(town)) \(code)"] {
          let place = try World.first(text)
          #expect(place.map { $0.level == .city && world.isNear($0, town) } ?? false, "\(text)")
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
    "R3: Small words are no codes elsewhere",
    arguments: [
      "one or two", "it is on", "in or on", "la la la", "let me in", "what is it", "you and me", "by and by",
      "all in all", "I am here", "on my way", "de facto", "al dente", "who is in",
    ])
  func words(text: String) throws {
    #expect(try World.first(text) == nil)
  }

  @Test("R3: A small word alone is a place only as a country's code")
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
    "R3: A small word or a code beside words that are left over is no place",
    arguments: ["not me", "move it", "no it is not"])
  func leftOver(text: String) throws {
    #expect(try World.first(text) == nil)
  }

  @Test(
    "R3: A phrase with a town's name in it is that town with little confidence at most",
    arguments: ["come to me", "oh my god", "a la carte"])
  func phrases(text: String) throws {
    #expect(try World.first(text).map(\.confidence) ?? 0 < 0.5)
  }

  @Test(
    "R4: A street and its number are left over, and what they are called is not the answer",
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

  @Test("R4: Words that are skipped cost confidence")
  func skipped() throws {
    func confidence(_ text: String) throws -> Double { try #require(try World.first(text)).confidence }
    let town = try confidence("Cambridge, MA")
    let street = try confidence("12 Oxford St, Cambridge, MA")
    #expect(try town > street && street > confidence("12 Long Winding Oxford St, Cambridge, MA"))
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
    "R5: The narrowest of wide to narrow is meant",
    arguments: [
      ("日本京都", "Kyoto, Japan"), ("中国广州", "Guangzhou, Guangdong, China"),
      ("부산 해운대구", "Haeundae-gu, Busan, South Korea"), ("서울 강남구", "Gangnam-gu, Seoul, South Korea"),
    ])
  func wideToNarrow(text: String, label: String) throws {
    #expect(try World.first(text)?.label == label)
  }

  @Test(
    "R5: A town is preferred to the county of its name, and both to their region",
    arguments: [
      ("Paris, Île-de-France, France", "Paris, Île-de-France, France"),
      ("Yingkou, Liaoning, China", "Yingkou, Liaoning, China"),
    ])
  func narrowest(text: String, label: String) throws {
    let place = try #require(try World.first(text))
    #expect(place.label == label && place.level == .city)
  }

  @Test(
    "R5: The town may come before its street",
    arguments: [
      ("Brno Česká 12", "Brno", Place.Level.city), ("Olomouc, Pražská 9", "Olomouc", .city),
      ("1052 Budapest Váci utca 8", "Budapest", .postcode),
    ])
  func townFirst(text: String, name: String, level: Place.Level) throws {
    let place = try #require(try World.first(text))
    #expect(place.name == name && place.level == level && place.match == .fallback)
  }
}
