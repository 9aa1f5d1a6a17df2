import Domain
import Foundation
import GazetteerFixtures
import Testing

@testable import Gazetteer
@testable import GazetteerBuild

@Suite("Place index builder")
struct PlaceIndexBuilderTests {
  /// A valid source to which tests add lines.
  private static let head = """
    gazetteer\t1\tdata © nobody
    C\tLV\t\t57\t25\t1900000\tLatvia\tLV\t
    P\tLV\t\t56.95\t24.10\t600000\tRiga\t\t

    """

  private let file = TemporaryFile()

  private func written() throws -> [UInt8] {
    try Hamlet.write(to: file.path)
    return [UInt8](try Data(contentsOf: URL(filePath: file.path)))
  }

  @Test("The same source gives the same bytes")
  func isDeterministic() throws {
    #expect(try written() == written())
  }

  @Test("A failed build leaves the old file unchanged")
  func keepsOld() throws {
    let bytes = try written()
    #expect(throws: GazetteerBuildError.self) { try Hamlet.write("gazetteer\t1\tx\nP\tZZ", to: file.path) }
    #expect([UInt8](try Data(contentsOf: URL(filePath: file.path))) == bytes)
    #expect(throws: GazetteerBuildError.unwritable(path: "/nowhere/places", code: ENOENT)) {
      try Hamlet.write(to: "/nowhere/places")
    }
  }

  @Test(
    "The error of a malformed source line has the line's number",
    arguments: [
      ("nonsense\n", 1), ("gazetteer\t2\tx\n", 1), ("gazetteer\t1\tx\nC\tAA\n", 2),
      ("gazetteer\t1\tx\nC\tAA\t\t10\t20\tmany\tA\t\t\n", 2), ("gazetteer\t1\tx\nC\tAA\t\t91\t20\t1\tA\t\t\n", 2),
      ("gazetteer\t1\tx\nP\tAA\t\t10\t20\t1\tA\t\t\n", 2), ("gazetteer\t1\tx\nC\tA\t\t10\t20\t1\tA\t\t\n", 2),
      ("gazetteer\t1\tx\nC\tAA\t\t10\t20\t1\tA\t\t\nC\tAA\t\t10\t20\t1\tA\t\t\n", 3),
    ])
  func source(text: String, line: Int) throws {
    let error = #expect(throws: GazetteerBuildError.self) { try Hamlet.write(text, to: file.path) }
    guard case .source(line, _) = error else {
      Issue.record("\(String(describing: error)) is not about line \(line)")
      return
    }
  }

  @Test(
    "A malformed line of a country's name in a language is refused",
    arguments: ["L\tLV\tde", "L\tLV\tde\t", "L\tXX\tde\tA", "L\tLV\tdeu\tA", "L\tLV\t12\tA"])
  func nameOfCountry(line: String) throws {
    #expect(throws: GazetteerBuildError.self) { try Hamlet.write(Self.head + line + "\n", to: file.path) }
  }

  @Test("Postcodes that cannot be packed are counted and skipped")
  func skipped() throws {
    var builder = PlaceIndexBuilder()
    try Hamlet.read(Self.head + "Z\tLV\t12345678901\t57\t24\nZ\tLV\t\t57\t24\nZ\tLV\t1\t57\t24\n", into: &builder)
    #expect(builder.skippedPostcodeCount == 2)
  }

  @Test(
    "A malformed postcode line is refused",
    arguments: ["Z\tLV\t1\t57", "Z\tXX\t1\t57\t24", "Z\tLV\t1\t57\t181", "Z\tLV\t1\t57\t24\nP\tLV\t\t57\t24\t1\tA\t\t"])
  func postcode(lines: String) throws {
    #expect(throws: GazetteerBuildError.self) { try Hamlet.write(Self.head + lines + "\n", to: file.path) }
  }

  @Test("A source line of 65,536 bytes is read, and a longer one is refused", arguments: [(0, true), (1, false)])
  func lineBytes(more: Int, isRead: Bool) throws {
    let line = Hamlet.Row.city("Twin", alias: "").line
    let long = line + String(repeating: "x", count: GazetteerBuildLimits.lineBytes - line.utf8.count + more)
    if isRead {
      #expect(try Hamlet.index(of: [.init(line: long)]).placeCount == 2)
    } else {
      let error = #expect(throws: GazetteerBuildError.self) { try Hamlet.index(of: [.init(line: long)]) }
      #expect(error?.description.contains("line 3") == true && error?.description.contains("longer than 65536") == true)
    }
  }

  @Test("Integers of the index file hold the largest counts that a source may have")
  func sizes() {
    #expect(
      Posting(place: UInt32(GazetteerBuildLimits.places), kind: .code, isArea: true).place
        == GazetteerBuildLimits.places)
    #expect(GazetteerBuildLimits.tableBytes * 2 <= UInt32.max && GazetteerBuildLimits.postcodes * 2 <= UInt32.max)
  }

  private func box(_ points: [(latitude: Int32, longitude: Int32)]) -> BoxRecord { BoxRecord(around: points) }

  @Test("A bounding box spans the smallest arc that contains all longitudes")
  func arcs() {
    #expect(
      box([(0, -1_000_000_000), (1, 1_000_000_000)])
        == BoxRecord(south: 0, west: 1_000_000_000, north: 1, east: -1_000_000_000))
    #expect(
      box([(0, -800_000_000), (1, 800_000_000)]) == BoxRecord(south: 0, west: -800_000_000, north: 1, east: 800_000_000)
    )
    #expect(
      box([(5, -1_800_000_000), (5, 1_800_000_000)])
        == BoxRecord(south: 5, west: 1_800_000_000, north: 5, east: -1_800_000_000))
    #expect(box([(7, 30)]) == BoxRecord(south: 7, west: 30, north: 7, east: 30))
    #expect(box([]) == .none)
  }
}
