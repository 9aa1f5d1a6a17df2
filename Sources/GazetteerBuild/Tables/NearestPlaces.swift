import Domain
import Gazetteer
import Glibc

/// A spatial index of cities while an index file is built.
struct NearestPlaces {
  /// Size of a cell in 1e-7 degrees: a tenth of a degree, 11 km from south to north.
  private static let cell: Int32 = 1_000_000
  private static let cellsAround = 3_600
  /// Kilometres per degree of latitude.
  private static let kmPerDegree = 111.2
  /// Maximum distance between a point and its city, in kilometres.
  private static let distanceMaxKm = 50.0
  /// Maximum number of rings of cells that a search visits. Near the poles cells are narrow, and no city there needs
  /// more rings.
  private static let rings = 40

  private let places: [PlaceRecord]
  /// Record numbers in the order of their cells.
  private let numbers: [UInt32]
  private let cells: [UInt64: Range<Int>]

  init(_ places: [PlaceRecord]) {
    self.places = places
    var keyed: [(cell: UInt64, number: UInt32)] = []
    for (number, place) in places.enumerated() where place.isCity {
      keyed.append(
        (Self.key(place.country, Self.row(place.latitudeE7), Self.column(place.longitudeE7)), UInt32(number)))
    }
    keyed.sort { $0 < $1 }
    numbers = keyed.map(\.number)
    var cells: [UInt64: Range<Int>] = [:]
    var start = 0
    while start < keyed.count {
      var end = start + 1
      while end < keyed.count, keyed[end].cell == keyed[start].cell { end += 1 }
      cells[keyed[start].cell] = start..<end
      start = end
    }
    self.cells = cells
  }

  /// Returns the city to which a point of a country belongs: the nearest city after the handicap for small ones. Nil if
  /// no city is within 50 km.
  func nearest(latitudeE7: Int32, longitudeE7: Int32, country: UInt16) -> UInt32? {
    let narrowing = max(cos(Double(latitudeE7) * 1e-7 * .pi / 180), 0.02)
    let (row, column) = (Self.row(latitudeE7), Self.column(longitudeE7))
    var best: UInt32?
    var bestScore = Double.infinity
    for ring in 0...Self.rings {
      for y in -ring...ring {
        let step = abs(y) == ring || ring == 0 ? 1 : 2 * ring
        for x in stride(from: -ring, through: ring, by: step) {
          let wrapped = (column + x + Self.cellsAround) % Self.cellsAround
          guard let range = cells[Self.key(country, row + y, wrapped)] else { continue }
          for number in numbers[range] {
            let place = places[Int(number)]
            let distance = Self.distance(latitudeE7, longitudeE7, place, narrowing)
            let score = distance + Self.handicap(place.population)
            if distance <= Self.distanceMaxKm, score < bestScore { (best, bestScore) = (number, score) }
          }
        }
      }
      // All cities outside of the ring are at least this far away.
      let searchedKm = Double(ring) * Double(Self.cell) * 1e-7 * Self.kmPerDegree * narrowing
      if bestScore <= searchedKm || searchedKm > Self.distanceMaxKm { break }
    }
    return best
  }

  /// Returns the handicap of a small city, in kilometres. The handicap is 0 for two million inhabitants, 2 for 130,000,
  /// 6 for 500, and 10.5 for an unknown population.
  private static func handicap(_ population: UInt32) -> Double {
    max(21 - log2(Double(population) + 1), 0) * 0.5
  }

  private static func distance(
    _ latitudeE7: Int32, _ longitudeE7: Int32, _ place: PlaceRecord, _ narrowing: Double
  ) -> Double {
    let north = (Double(place.latitudeE7) - Double(latitudeE7)) * 1e-7
    var east = abs((Double(place.longitudeE7) - Double(longitudeE7)) * 1e-7)
    if east > 180 { east = 360 - east }
    east *= narrowing
    return (north * north + east * east).squareRoot() * kmPerDegree
  }

  private static func row(_ latitudeE7: Int32) -> Int { Int((latitudeE7 + 900_000_000) / cell) }
  private static func column(_ longitudeE7: Int32) -> Int {
    Int((Int64(longitudeE7) + 1_800_000_000) / Int64(cell)) % cellsAround
  }
  /// Returns the key of a cell. The added `rings` keep the keys of rows beyond the poles positive. Such rows have no
  /// cities.
  private static func key(_ country: UInt16, _ row: Int, _ column: Int) -> UInt64 {
    UInt64(country) << 32 | UInt64(row + rings) << 16 | UInt64(column)
  }
}
