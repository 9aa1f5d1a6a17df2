import Domain
import Foundation
import Fuzzing
import Testing

@testable import Commands

@Suite("Fuzzed tables")
struct TableFuzzTests {
  private static let tables = [
    "query,limit\nOslo,3\n\"Paris, TX\",\"2\"\r\n\"a \"\"b\"\"\nc\",\n", "\u{FEFF}query\n\n\n日本\n\"\"\n",
    "{\"query\":\"Oslo\",\"focus\":[1,2],\"x\":{\"y\":null}}\n{\"query\":\"\\ud83d\\ude00\"}\n",
  ].map { Array($0.utf8) }

  /// Reads records from bytes that arrive in pieces.
  private func records(_ pieces: [[UInt8]], _ format: TableReader.Format) throws -> [[UInt8]] {
    let pipe = Pipe()
    // The pieces fit into the pipe's buffer of 64 KiB.
    for piece in pieces { try pipe.fileHandleForWriting.write(contentsOf: piece) }
    try pipe.fileHandleForWriting.close()
    var reader = TableReader(descriptor: pipe.fileHandleForReading.fileDescriptor, format: format)
    var records: [[UInt8]] = []
    while let chunk = try reader.next() {
      for record in chunk.records {
        let bytes = Array(chunk.bytes[record.range])
        try #require((format == .csv || !bytes.isEmpty || record.problem != nil) && record.line > 0)
        records.append(bytes)
      }
    }
    withExtendedLifetime(pipe) {}
    return records
  }

  @Test("A mutated table is read to its end, and each row is a query or an error with its line")
  func tables() {
    let defaults = PlaceQuery("")
    let header = Array("query,limit,focus_lat,focus_lon,level".utf8)
    Fuzz.rounds(1_000) { random in
      let bytes = random.changed(random.one(of: Self.tables), with: Self.tables)
      var queryCount = 0
      for format in TableReader.Format.allCases {
        let table =
          format == .csv ? try BatchTable(header: header[...], defaults: defaults) : BatchTable(defaults: defaults)
        for record in try records([bytes], format) {
          let row = table.row(.init(range: 0..<record.count, line: 3, problem: nil), in: record)
          switch row.query {
          case .success(let query):
            try #require((1...Limits.placeBytesMax).contains(query.text.utf8.count), "\(bytes)")
            queryCount += 1
          case .failure(let error): try #require(error.detail.hasPrefix("line 3: "), "\(bytes)")
          }
        }
      }
      return queryCount > 0
    }
  }

  @Test("Quoted CSV fields are read as they were written")
  func quoted() {
    Fuzz.rounds(1_000) { random in
      let fields = (0...random.below(4)).map { _ in
        String((0..<random.below(8)).map { _ in random.one(of: ["a", ",", "\"", "\n", "\r", "日", " "]) as Character })
      }
      let record = fields.map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(separator: ",")
      let read = try records([Array((record + "\n").utf8)], .csv)
      try #require(read == [Array(record.utf8)], "\(fields)")
      try #require(try CSVFields(read[0][...]).values == fields, "\(fields)")
      return true
    }
  }
}
