import Domain
import Testing

@testable import Gazetteer

/// Matching rules about the areas that contain a place.
@Suite("Lineage rules")
struct LineageRuleTests {
  @Test("R6: A territory named with its state is the territory, and its largest city is in the territory")
  func territories() throws {
    let world = try Lineages()
    var checked = 0
    for number in 0..<UInt16(world.sections.countryCount) {
      guard let country = world.sections.country(number), country.sovereign != number,
        let territory = world.sections.place(UInt32(number)),
        let state = world.sections.place(UInt32(country.sovereign)),
        let city = world.largest(of: number)
      else { continue }
      checked += 1
      for name in [world.name(territory), "\(world.name(city)), \(world.name(territory))"] {
        let text = "\(name), \(world.name(state))"
        #expect(try World.first(text)?.countryCode == world.code(territory), "\(text)")
      }
    }
    #expect(checked > 30)
  }

  @Test(
    "R6: A territory's city is found with the state alone, by any name of the state",
    arguments: [
      ("Saipan, United States of America", "MP"), ("Charlotte Amalie, VI, United States of America", "VI"),
      ("Stanley, Falkland Islands, UK", "FK"), ("Nuuk, Denmark", "GL"), ("Nouméa, France", "NC"),
      ("Saint-Denis, Réunion, France", "RE"), ("Hagåtña, Guam, USA", "GU"), ("Macau, China", "MO"),
    ])
  func sovereigns(text: String, country: String) throws {
    let place = try #require(try World.first(text))
    #expect(place.countryCode == country && place.match == .exact)
  }

  @Test("R7: A country filter excludes every place of other countries")
  func filter() throws {
    #expect(try World.first("London", country: "CA")?.region == "Ontario")
    #expect(try World.first("Alexandria", country: "us")?.countryCode == "US")
    #expect(try World.first("London", country: "XX") == nil)
    #expect(try World.first("Nouméa", country: "FR")?.countryCode == "NC")
    #expect(try World.first("Paris", country: "NC")?.countryCode != "FR")
    // Many places of the name are larger, so the place is found only if the filter applies before the limit.
    for (text, country) in [("San Antonio", "PH"), ("Victoria", "RO"), ("Santa Cruz", "CV"), ("London", "KI")] {
      let places = try World.index.get().locate(PlaceQuery(text, limit: 5, country: country))
      #expect(!places.isEmpty && places.allSatisfy { $0.countryCode == country }, "\(text), \(country)")
    }
  }

  @Test("R7: A focus prefers near places, but no small city over a distant metropolis")
  func focus() throws {
    let index = try World.index.get()
    let lima = try #require(Coordinate(latitude: 40.74, longitude: -84.1))
    func first(_ text: String) -> Place? { index.locate(PlaceQuery(text, focus: lima)).first }
    #expect(first("Lima")?.region == "Ohio")
    #expect(first("Tokyo")?.countryCode == "JP")
    #expect(try World.first("Lima")?.countryCode == "PE")
  }

  @Test(
    "R8: A repeated name means a place and its area, or the place alone",
    arguments: [
      ("reading reading pa", "Reading, Pennsylvania, United States"), ("quebec, quebec", "Québec, Quebec, Canada"),
      ("Singapore Singapore", "Singapore"), ("San Marino, San Marino", "San Marino"),
      ("New York, New York", "New York City, New York, United States"), ("Monaco, Monaco", "Monaco"),
      ("Kuwait Kuwait", "Kuwait City, Al Asimah, Kuwait"),
    ])
  func doubled(text: String, label: String) throws {
    let place = try #require(try World.first(text))
    #expect(place.label == label && place.level == .city && place.match == .exact)
  }

  @Test("R8: A repeated name of a region or country is the city of that name in it")
  func everyDouble() throws {
    let world = try Lineages()
    var checked = 0
    for city in world.cities {
      let name = world.name(city)
      let country = try #require(world.sections.place(UInt32(city.country)))
      var text: String?
      if name == world.name(country) { text = "\(name), \(name)" }
      if let region = world.sections.place(city.region), name == world.name(region),
        UInt64(city.population) * 64 >= UInt64(region.population)
      {
        text = "\(name), \(name), \(world.name(country))"
      }
      guard let text else { continue }
      checked += 1
      let place = try World.first(text)
      #expect(place.map { $0.level == .city && world.isNear($0, city) } ?? false, "\(text)")
    }
    #expect(checked > 500)
  }

  @Test(
    "R9: A city outside the named area is ignored, and the area is a fallback",
    arguments: [
      ("chicago, canada", "Canada"), ("Tokyo, Germany", "Germany"), ("Paris, Japan", "Japan"),
      ("Munich, Texas", "Texas, United States"), ("Berlin, Spain", "Spain"),
      ("Xyzzyville, Ohio", "Ohio, United States"),
    ])
  func contradiction(text: String, label: String) throws {
    let place = try #require(try World.first(text))
    #expect(place.label == label && place.level < .city)
    #expect(place.match == .fallback && place.confidence < 0.5)
  }

  @Test("R9: A country with an unknown name is a fallback with reduced confidence")
  func everyCountry() throws {
    let world = try Lineages()
    for number in 0..<UInt32(world.sections.countryCount) {
      let country = try #require(world.sections.place(number))
      let text = "Qwxzzzk, \(world.name(country))"
      let place = try World.first(text)
      #expect(place?.level == .country && place?.countryCode == world.code(country), "\(text)")
      #expect(place.map { $0.match == .fallback && $0.confidence < 0.7 } ?? false, "\(text)")
    }
  }

  @Test(
    "R10: Names in different languages match together",
    arguments: [
      ("Wenen, Austria", "Vienna, Austria"), ("München, Germany", "Munich, Bavaria, Germany"),
      ("Munich, Deutschland", "Munich, Bavaria, Germany"),
      ("Londra, United Kingdom", "London, England, United Kingdom"),
      ("Londen, Regno Unito", "London, England, United Kingdom"), ("Praag, Tschechien", "Prague, Czechia"),
      ("Keulen, Germania", "Köln, North Rhine-Westphalia, Germany"), ("Moskau, Russia", "Moscow, Russia"),
      ("Wenen, Autriche", "Vienna, Austria"), ("東京, Japon", "Tokyo, Japan"),
    ])
  func languages(text: String, label: String) throws {
    let place = try #require(try World.first(text))
    #expect(place.label == label && place.match == .exact)
  }

  @Test(
    "R11: Former names and names in other languages find today's city",
    arguments: [
      ("Hirschberg im Riesengebirge", "Jelenia Góra", "PL"), ("Kattowitz", "Katowice", "PL"),
      ("Breslau", "Wrocław", "PL"), ("Danzig", "Gdańsk", "PL"), ("Stettin", "Szczecin", "PL"),
      ("Allenstein", "Olsztyn", "PL"), ("Oppeln", "Opole", "PL"), ("Gleiwitz", "Gliwice", "PL"),
      ("Königsberg", "Kaliningrad", "RU"), ("Tilsit", "Sovetsk", "RU"), ("Stalingrad", "Volgograd", "RU"),
      ("Leningrad", "Saint Petersburg", "RU"), ("Pressburg", "Bratislava", "SK"), ("Reichenberg", "Liberec", "CZ"),
      ("Lemberg", "Lviv", "UA"), ("Constantinople", "Istanbul", "TR"), ("Saigon", "Ho Chi Minh City", "VN"),
      ("Bombay", "Mumbai", "IN"), ("Peking", "Beijing", "CN"), ("Batavia", "Jakarta", "ID"),
      ("Salisbury, Rhodesia", "Harare", "ZW"),
    ])
  func exonyms(text: String, name: String, country: String) throws {
    let place = try #require(try World.first(text))
    #expect(place.name == name && place.countryCode == country && place.match == .exact)
  }

  @Test("R11: An abbreviation after the name stays unmatched")
  func abbreviated() throws {
    let place = try #require(try World.first("Kattowitz O.S."))
    #expect(place.name == "Katowice" && place.match == .fallback)
  }
}
