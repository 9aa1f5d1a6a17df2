import Domain
import Testing

@testable import Gazetteer

@Suite("Coordinates in degrees, minutes and seconds")
struct CoordinateTests {
  private func point(_ text: String) -> Coordinate? {
    Array(text.utf8).withUnsafeBufferPointer(CoordinateText.parse)
  }

  @Test(
    "Coordinates are read with unit signs or with compass directions",
    arguments: [
      "48°51'24\"N 2°21'03\"E", "48° 51' 24\" N, 2° 21' 3\" E", "48°51′24″N 2°21′3″E", "48°51’24”n, 2°21’3”e",
      "48º51'24''N 2º21'3''E", "N 48°51'24\" E 2°21'3\"", "48 51 24 N, 2 21 3 E", "48 51 24N 2 21 3E",
      "N48 51 24, E2 21 3", "48°51'24\", 2°21'3\"", "48°51'24\" 2°21'3\"", "48°51.4'N 2°21.05'E",
      "48 51.4 N 2 21.05 E", "48°51.4', 2°21.05'", "(48°51'24\"N 2°21'3\"E)", "48°51'24.00\"N 2°21'3.0\"E",
    ])
  func paris(text: String) throws {
    let found = try #require(point(text), "\(text)")
    #expect(found == Coordinate(latitude: 48 + 51.4 / 60, longitude: 2 + 21.05 / 60), "\(text)")
  }

  @Test(
    "A sign or direction applies to the whole coordinate",
    arguments: [
      ("33°30'S 151°15'E", -33.5, 151.25), ("-33°30', 151°15'", -33.5, 151.25), ("22 30 S, 43 15 W", -22.5, -43.25),
      ("S 22 30, W 43 15", -22.5, -43.25), ("48°30'N 2°E", 48.5, 2.0), ("48 N, 2 15 E", 48.0, 2.25),
      ("90°0'0\"N 180°0'0\"W", 90, -180), ("0°0'36\"S 0°0'36\"W", -0.01, -0.01),
    ])
  func signs(text: String, latitude: Double, longitude: Double) {
    #expect(point(text) == Coordinate(latitude: latitude, longitude: longitude), "\(text)")
  }

  @Test("Minutes and seconds range from 0 to 59", arguments: [0, 59, 60, 61])
  func sixty(part: Int) {
    for text in [
      "48°\(part)'24\"N 2°21'3\"E", "48°51'\(part)\"N 2°21'3\"E", "48°51'24\"N 2°\(part)'E", "48 \(part) N, 2 21 E",
      "48 51 \(part) N, 2 21 3 E", "48°\(part)', 2°21'",
    ] {
      #expect((point(text) != nil) == (part < 60), "\(text)")
    }
  }

  @Test(
    "Incomplete coordinates and points outside the earth are not points",
    arguments: [
      "48 51 24, 2 21 3", "48 51 24 2 21 3", "48°51'24\"N", "48°51'24\"N 2°21'3\"N", "48.5°51'N 2°21'E",
      "48°51.4'24\"N 2°21'E", "90°0'1\"N 0°0'0\"E", "0°0'N 180°0'1\"E", "48°'N 2°E", "48°51'24\"N 2°21'3\"E x",
      "48°-51'N 2°21'E", "5'10\"", "12 5 Main St", "48 51 N Main St",
    ])
  func none(text: String) {
    #expect(point(text) == nil, "\(text)")
  }
}
