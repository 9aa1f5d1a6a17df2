import Foundation
package import Gazetteer
package import GazetteerBuild

/// A gazetteer of ten places, and gazetteers of a few rows, for tests of the file and of single rules.
package enum Hamlet {
  package static let lines = """
    gazetteer\t1\tdata © nobody
    C\tAA\t\t10\t20\t5000000\tAland\tAA AAA\tAlandia|Ålandia
    L\tAA\tsv\tÅland
    C\tBB\tAA\t-33.5\t151.25\t70000\tBeeland\tBB BBB\t
    R\tAA\t01\t11\t21\t900000\tMidden\tMI OR\tMidshire
    R\tAA\t02\t12\t22\t800000\tOver\tOV\t
    D\tAA\t01\t11\t21\t0\tKing County\t\t
    P\tAA\t01\t11.1\t21.1\t300000\tMidden\t\tMiddenstadt
    P\tAA\t01\t11.2\t21.2\t40000\tSaint Mary\t\tL'Étoile|Müllheim
    P\tAA\t02\t12.2\t22.2\t90000\tSaint Mary\tSM\t
    P\tAA\t02\t12.3\t22.3\t700\tTwin\t\t
    P\tBB\t\t-33.4\t151.2\t60000\tBeetown\t\t\u{6771}\u{4EAC}
    Z\tAA\tA1 2B\t11.1\t21.1
    Z\tBB\tA12B\t-33.4\t151.2

    """

  /// Compiles lines, which the builder reads from a pipe.
  package static func write(_ lines: String = lines, to path: String) throws {
    var builder = PlaceIndexBuilder()
    try read(lines, into: &builder)
    try builder.write(to: path, builtAt: 1_750_000_000)
  }

  package static func read(_ lines: String, into builder: inout PlaceIndexBuilder) throws {
    let pipe = Pipe()
    let text = Data(lines.utf8)
    let writer = Thread {
      try? pipe.fileHandleForWriting.write(contentsOf: text)
      try? pipe.fileHandleForWriting.close()
    }
    writer.start()
    try builder.read(fileDescriptor: pipe.fileHandleForReading.fileDescriptor)
  }

  package static func index(_ lines: String = lines) throws -> PlaceIndex {
    let file = TemporaryFile()
    try write(lines, to: file.path)
    return try PlaceIndex(path: file.path)
  }

  /// Returns a gazetteer of one country with these places, in the order that the source requires.
  package static func index(of places: [Row]) throws -> PlaceIndex { try index(lines(of: places)) }

  /// Returns the source of a gazetteer of one country with these places.
  package static func lines(of places: [Row]) -> String {
    """
    gazetteer\t1\tdata © nobody
    C\tAA\t\t10\t20\t5000000\tAland\tAA\t
    \(places.map(\.line).joined(separator: "\n"))

    """
  }

  /// A line of the source, for a place in the only country.
  package struct Row: Sendable {
    package var line: String

    package init(line: String) { self.line = line }

    package static func city(
      _ name: String, _ population: Int = 1_000, region: String = "", at point: (Double, Double) = (11, 21),
      alias: String = ""
    ) -> Row {
      Row(line: "P\tAA\t\(region)\t\(point.0)\t\(point.1)\t\(population)\t\(name)\t\t\(alias)")
    }

    package static func region(_ code: String, _ name: String, _ population: Int = 0) -> Row {
      Row(line: "R\tAA\t\(code)\t11\t21\t\(population)\t\(name)\t\t")
    }

    package static func postcode(_ code: String, at point: (Double, Double)) -> Row {
      Row(line: "Z\tAA\t\(code)\t\(point.0)\t\(point.1)")
    }
  }
}
