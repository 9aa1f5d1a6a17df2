import Foundation
import Testing

@testable import Commands
@testable import Domain

@Suite("Batch tables")
struct TableTests {
  /// Writes bytes into a pipe in pieces of at most `once` bytes, and returns the records that the reader finds.
  private func records(
    _ bytes: some Sequence<UInt8> & Sendable, format: TableReader.Format = .csv, at once: Int = .max
  ) async throws -> [(line: Int, text: String, problem: String?)] {
    let pipe = Pipe()
    let all = Array(bytes)
    let writer = Thread {
      for start in stride(from: 0, to: all.count, by: min(once, max(all.count, 1))) {
        try? pipe.fileHandleForWriting.write(contentsOf: all[start..<min(all.count, start + min(once, all.count))])
      }
      try? pipe.fileHandleForWriting.close()
    }
    writer.start()
    var reader = TableReader(descriptor: pipe.fileHandleForReading.fileDescriptor, format: format)
    var records: [(line: Int, text: String, problem: String?)] = []
    while let chunk = try reader.next() {
      for record in chunk.records {
        let text = String(decoding: chunk.bytes[record.range], as: UTF8.self)
        records.append((record.line, text, record.problem?.description))
      }
    }
    withExtendedLifetime(pipe) {}
    return records
  }

  private func records(_ text: String, at once: Int = .max) async throws -> [String] {
    try await records(text.utf8, at: once).map { "\($0.line):\($0.text)" + ($0.problem == nil ? "" : "!") }
  }

  @Test(
    "Records end at line ends outside quotes and keep the number of their first line",
    arguments: [1, 2, 7, Int.max])
  func ends(once: Int) async throws {
    #expect(try await records("a,b\nc,d", at: once) == ["1:a,b", "2:c,d"])
    #expect(try await records("a\r\n\r\n\nb\r\n", at: once) == ["1:a", "2:", "3:", "4:b"])
    #expect(
      try await records("\"a\nb\",c\n\"d \"\"e\"\"\n\",f\ng\n", at: once)
        == ["1:\"a\nb\",c", "3:\"d \"\"e\"\"\n\",f", "5:g"])
    #expect(
      try await records("5\" pipe\nx\n", at: once) == ["1:5\" pipe", "2:x"], "A quote inside a field is text.")
    #expect(try await records("", at: once).isEmpty)
    #expect(try await records("a\n\"open\nb", at: once) == ["1:a", "2:!", "3:b"])
    #expect(try await records("\"open", at: once) == ["1:\"open!"])
  }

  @Test("A byte order mark is skipped")
  func mark() async throws { #expect(try await records("\u{FEFF}query\nx") == ["1:query", "2:x"]) }

  @Test("NDJSON lines end at every line end, even after a quote")
  func lines() async throws {
    let found = try await records("{\"a\n{\"b\"}\n".utf8, format: .ndjson)
    #expect(found.map(\.text) == ["{\"a", "{\"b\"}"])
  }

  @Test("A row at the length limit is read, and a longer row is the only lost row")
  func longest() async throws {
    let longest = String(repeating: "x", count: ToolLimits.tableRecordBytesMax)
    let found = try await records("a\n\(longest)\nb\n\(longest)y\nc\n".utf8)
    #expect(found.map(\.problem).map { $0 == nil } == [true, true, true, false, true])
    #expect(found.map(\.line) == [1, 2, 3, 4, 5])
    #expect(found[1].text == longest && found[4].text == "c")
    // A long row without a line end in its first megabyte.
    let endless = try await records(repeatElement(UInt8(ascii: "x"), count: 1_000_000) + Array("\nb\n".utf8))
    #expect(endless.count == 2 && endless[0].problem != nil && endless[1].text == "b" && endless[1].line == 2)
  }

  @Test("An unclosed quote costs one row, however many rows follow")
  func openQuote() async throws {
    for count in [1, 10, 10_000] {
      let found = try await records("\"open\n" + String(repeating: "row\n", count: count))
      #expect(found.count == count + 1 && found.dropFirst().allSatisfy { $0.hasSuffix(":row") })
    }
    let rows = (0..<100_000).map { "row \($0)\n" }.joined()
    let found = try await records(("a\n\"open\n" + rows).utf8)
    #expect(found.count == 100_002 && found[1].problem != nil && found[1].line == 2)
    #expect(found[2].text == "row 0" && found[2].line == 3 && found.last?.text == "row 99999")
  }

  @Test(
    "CSV fields follow RFC 4180",
    arguments: [
      ("", [""]), ("a", ["a"]), ("a,b", ["a", "b"]), (",", ["", ""]), ("a,", ["a", ""]), ("\"a,b\",c", ["a,b", "c"]),
      ("\"\"", [""]), ("\"a\"\"b\"", ["a\"b"]), ("\"\n\"", ["\n"]), ("a\"b", ["a\"b"]), (" \"a\"", [" \"a\""]),
      ("日本,é", ["日本", "é"]),
    ])
  func fields(record: String, values: [String]) throws {
    #expect(try CSVFields(Array(record.utf8)[...]).values == values)
  }

  @Test(
    "Misplaced quotes and invalid UTF-8 are errors", arguments: ["\"a", "\"a\"b", "\"a\"\"", "a,\u{1}\""])
  func wrong(record: String) throws {
    let bytes = record.contains("\u{1}") ? [0x61, 0x2C, 0xFF] : Array(record.utf8)
    #expect(throws: TableError.self) { try CSVFields(bytes[...]) }
  }

  private func row(_ record: String, header: String? = nil) throws -> BatchRow {
    let defaults = PlaceQuery("", limit: 3, country: "NO")
    let bytes = Array(record.utf8)
    let table =
      try header.map { try BatchTable(header: Array($0.utf8)[...], defaults: defaults) }
      ?? BatchTable(defaults: defaults)
    return table.row(.init(range: 0..<bytes.count, line: 7, problem: nil), in: bytes)
  }

  @Test("A row's options override the flags, and its empty options fall back to them")
  func options() throws {
    let header = "ID,Query,limit,country,focus_lat,focus_lon,lang,autocomplete,level"
    let full = try row("1,Oslo,7,SE,59.9,10.7,de,true,\"city,region\"", header: header)
    let wanted = PlaceQuery(
      "Oslo", kind: .autocomplete, limit: 7, country: "SE", focus: Coordinate(latitude: 59.9, longitude: 10.7),
      language: "de", levels: [.city, .region])
    #expect(try full.query.get() == wanted)
    #expect(try row("2,Oslo", header: header).query.get() == PlaceQuery("Oslo", limit: 3, country: "NO"))
    let json = """
      {"id": {"x": 1}, "query": "Oslo", "limit": 7, "country": "SE", "focus": [59.9, 10.7], "lang": "de", \
      "autocomplete": true, "level": ["city", "region"]}
      """
    #expect(try row(json).query.get() == wanted)
    #expect(try row("{\"query\":\"Oslo\",\"limit\":null}").query.get().limit == 3)
  }

  @Test(
    "An invalid row gives an error with its line, its field's code and its text",
    arguments: [
      ("query,limit", "Oslo,21", "invalid_limit", "Oslo"), ("query", "\" \"", "invalid_query", " "),
      ("query", "a,b", "malformed_row", ""), ("query,focus_lat,focus_lon", "Oslo,1,", "invalid_focus", "Oslo"),
      ("query", "\"a\"b", "malformed_row", ""), (nil, "[]", "malformed_row", ""), (nil, "{}", "invalid_query", ""),
      (nil, "{\"query\":\"Oslo\",\"country\":7}", "invalid_country", "Oslo"), (nil, "nonsense", "malformed_row", ""),
      (nil, "{\"query\":\"Oslo\",\"focus_lat\":1}", "invalid_focus", "Oslo"),
      ("query,limit", "Oslo,1.5", "invalid_limit", "Oslo"),
      ("query", "", "invalid_query", ""), ("query", "Os\u{0},\u{0}", "malformed_row", ""),
      (nil, "{\"query\":\"Oslo\",\"limit\":1e30}", "invalid_limit", "Oslo"),
      (nil, "{\"query\":\"\\ud800\"}", "malformed_row", ""),
    ] as [(String?, String, String, String)])
  func wrongRow(header: String?, record: String, code: String, text: String) throws {
    let row = try row(record, header: header)
    #expect(row.text == text)
    guard case .failure(let error) = row.query else {
      Issue.record("The invalid row was accepted.")
      return
    }
    #expect(error.code == code && error.detail.hasPrefix("line 7: "))
  }

  @Test(
    "An invalid header row gives an error that names the fix",
    arguments: [
      ("place,limit", "missing column query"), ("query,Query", "duplicate column"), ("\"open", "unclosed quote"),
      ("query,focus_lat", "focus_lon"), ("focus_lon,query", "focus_lat"), ("query;limit", "with commas"),
      ("query\tlimit", "with commas"), ("query\rOslo\rRome", "line feeds"), ("\u{1}", "missing column query"),
    ])
  func header(header: String, words: String) {
    let problem = #expect(throws: TableError.self) {
      try BatchTable(header: Array(header.utf8)[...], defaults: PlaceQuery(""))
    }
    #expect(problem?.description.contains(words) == true, "\(String(describing: problem))")
  }

  @Test("A row of ten megabytes is the only lost row, in each format", arguments: TableReader.Format.allCases)
  func endless(format: TableReader.Format) async throws {
    let bytes = Array("a\n".utf8) + repeatElement(UInt8(ascii: "x"), count: 10_000_000) + Array("\nb".utf8)
    let found = try await records(bytes, format: format)
    #expect(found.map(\.line) == [1, 2, 3] && found[2].text == "b" && found[1].text.isEmpty)
    #expect(found[1].problem?.contains("65536 bytes") == true)
    #expect(found[1].problem?.contains("quote") == (format == .csv))
  }
}
