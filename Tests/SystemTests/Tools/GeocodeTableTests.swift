import Foundation
import Testing

@Suite("Batch geocoding on the command line", .fixture)
struct GeocodeTableTests {
  private func file(_ name: String, _ text: String) throws -> String {
    let path = SystemFixture.current.path(name)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  private func objects(_ output: String) throws -> [[String: Any]] {
    try output.split(separator: "\n").map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any], "\($0)")
    }
  }

  @Test("Each row has its result in order, and an invalid row does not end the run")
  func csv() async throws {
    let path = try file(
      "places.csv",
      "\u{FEFF}query,limit,country\r\nOslo,,\r\n\"Paris, TX\",,\r\nSpringfield,3,US\r\nOslo,99,\r\n\"Qwxzzzk\",,\r\n")
    let (status, output, log) = try await SystemFixture.current.run("geocode", "--input", path)
    let results = try objects(output)
    #expect(
      status == 0 && results.map { $0["query"] as? String } == ["Oslo", "Paris, TX", "Springfield", "Oslo", "Qwxzzzk"])
    let counts = results.map { ($0["places"] as? [Any])?.count }
    #expect(counts == [1, 1, 3, nil, 0])
    let error = try #require(results[3]["error"] as? [String: String])
    #expect(error["code"] == "invalid_limit" && error["detail"]?.contains("line 5") == true)
    #expect(log.contains("5 rows: 3 found, 1 not found, 1 invalid"))
  }

  @Test("An empty CSV line is an invalid row, and row ids are returned")
  func emptyLines() async throws {
    let path = try file("gaps.csv", "\n\nid,query\nx1,Oslo\n\nx3,Rome\n")
    let (status, output, _) = try await SystemFixture.current.run("geocode", "--input", path)
    let results = try objects(output)
    #expect(status == 0 && results.map { $0["id"] as? String } == ["x1", "", "x3"])
    #expect((results[1]["error"] as? [String: String])?["code"] == "invalid_query")
  }

  @Test("A reverse table is read from lat and lon, and an invalid point is reported")
  func points() async throws {
    let path = try file("points.csv", "lat,lon\n59.91,10.75\n91,0\n")
    let (status, output, _) = try await SystemFixture.current.run("geocode", "--reverse", "--input", path)
    let results = try objects(output)
    #expect(status == 0 && ((results[0]["places"] as? [[String: Any]])?.first?["name"] as? String) == "Oslo")
    #expect((results[1]["error"] as? [String: String])?["detail"]?.contains("LAT,LON") == true)
    for point in ["abc", "91, 0"] {
      let (status, _, log) = try await SystemFixture.current.run("geocode", "--reverse", point)
      #expect(status == 64 && log.contains("must be a point, LAT,LON"))
    }
  }

  @Test("NDJSON is recognised by the file's extension or --format")
  func ndjson() async throws {
    let text =
      "{\"query\": \"Oslo\", \"id\": 7}\n\n{\"query\": \"Springfield\", \"country\": \"us\", \"limit\": 2}\nx\n"
    for arguments in [
      ["--input", try file("a.ndjson", text)], ["--input", try file("b", text), "--format", "ndjson"],
    ] {
      let (status, output, _) = try await SystemFixture.current.run(["geocode"] + arguments)
      let results = try objects(output)
      #expect(status == 0 && results.count == 3)
      #expect((results[1]["places"] as? [Any])?.count == 2)
      #expect((results[2]["error"] as? [String: String])?["code"] == "malformed_row")
    }
  }

  @Test("Fifty thousand rows keep their order on all cores")
  func order() async throws {
    let rows = (0..<50_000).map { "\($0 % 3 == 0 ? "Oslo" : "Nowhere at all") \($0)" }
    let path = try file("many.csv", "query\n" + rows.joined(separator: "\n"))
    let (status, output, _) = try await SystemFixture.current.run(["geocode", "--input", path])
    #expect(status == 0)
    let queries = output.split(separator: "\n").map { $0.prefix { $0 != "," } }
    #expect(queries.elementsEqual(rows.map { "{\"query\":\"\($0)\"" }, by: { String($0) == $1 }))
  }

  @Test("A client that writes one row and waits gets its result before the next")
  func conversation() throws {
    let process = Process()
    process.executableURL = Program.binary
    process.arguments = ["geocode", "--input", "-", "--format", "ndjson"]
    process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("ONTHEMAP_") }
    let (input, output) = (Pipe(), Pipe())
    (process.standardInput, process.standardOutput) = (input, output)
    process.standardError = FileHandle.nullDevice
    try process.run()
    for text in ["Oslo", "Rome", "Lima"] {
      try input.fileHandleForWriting.write(contentsOf: Data("{\"query\":\"\(text)\"}\n".utf8))
      var result = Data()
      while !result.contains(0x0A) { result += try #require(try output.fileHandleForReading.read(upToCount: 1)) }
      #expect(String(decoding: result, as: UTF8.self).hasPrefix("{\"query\":\"\(text)\",\"places\":[{"))
    }
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  @Test("A score counts by kind, lists misses and calibration, and is reproducible")
  func score() async throws {
    let table = """
      query,lat,lon,tolerance_km,kind,top_k,country_filter
      Oslo,59.91,10.75,20,capital,,
      "Oslo",0,0,20,capital,,
      Springfield,37.2,-93.3,30,city,5,us
      Qwxzzzk,1,1,5,city,,
      nowhere,,,5,city,,
      Rome,x,1,5,city,,
      """
    let path = try file("cases.csv", table)
    let (status, output, log) = try await SystemFixture.current.run("geocode", "--score", path, "--json")
    let score = try #require(try objects(output).first)
    #expect(status == 0 && score["rows"] as? Int == 4 && score["correct"] as? Int == 2)
    #expect(score["accuracy"] as? Double == 0.5 && score["skipped"] as? Int == 1)
    let kinds = try #require(score["kinds"] as? [[String: Any]])
    #expect(kinds.map { $0["kind"] as? String } == ["capital", "city"])
    let misses = try #require(score["misses"] as? [[String: Any]])
    #expect(misses.map { $0["line"] as? Int } == [3, 5])
    #expect(log.contains("line 7") && log.contains("lat and lon"))

    let (_, first, _) = try await SystemFixture.current.run("geocode", "--score", path)
    let (_, second, _) = try await SystemFixture.current.run("geocode", "--score", path)
    #expect(first == second && first.contains("50.00 %") && first.contains("Qwxzzzk"))
  }

  @Test("A score accepts CRLF, byte order marks and quoted line ends, and reports each invalid row")
  func scoreRows() async throws {
    let table = [
      "\u{FEFF}query,lat,lon,tolerance_km,top_k", "Oslo,59.91,10.75,20,", "\"Nowhere\nat all\",48.85,2.35,20,",
      "Oslo,59.91,10.75,-1,", "Oslo,59.91,10.75,,", "Oslo,91,10,20,", "Oslo,1e1,10,20,", "Oslo,59.91,10.75,20,0",
      "Oslo,59.91,10.75,20,,1", "\"Oslo\"x,1,1,1,", "Rome,41.9,12.5,20",
    ].joined(separator: "\r\n")
    let path = try file("wrong.csv", table)
    let (status, output, log) = try await SystemFixture.current.run("geocode", "--score", path)
    #expect(status == 0 && output.contains("7 invalid rows skipped"))
    // Two of three are right, and the third is shown on one line.
    #expect(output.contains("66.67 %") && output.contains("Nowhere\u{FFFD}at all"))
    for line in 5...11 { #expect(log.contains("wrong.csv, line \(line): "), "\(line)") }
    for words in ["tolerance", "degrees", "top_k", "6 fields", "quote"] { #expect(log.contains(words)) }
  }

  @Test(
    "Output that cannot be written ends with an error",
    arguments: [["Oslo"], ["--json", "Oslo"], ["--score"], ["--input"]])
  func fullDisk(arguments: [String]) async throws {
    let table = arguments[0].hasPrefix("--s") || arguments[0] == "--input"
    let path = try file("one.csv", "query,lat,lon,tolerance_km\nOslo,59.91,10.75,20\n")
    let command = (["geocode"] + arguments + (table ? [path] : [])).joined(separator: " ")
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "\"$0\" \(command) > /dev/full", Program.binary.path]
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let log = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 1, "\(log)")
    #expect(log.contains("cannot write the ") && log.contains(": No space left"), "\(log)")
  }

  @Test("A reverse score is recognised by its columns")
  func reverseScore() async throws {
    let path = try file("reverse.csv", "lat,lon,expected_city\n59.91273,10.74609,Oslo\n0,0,\n")
    let (status, output, _) = try await SystemFixture.current.run("geocode", "--score", path, "--json")
    let score = try #require(try objects(output).first)
    #expect(status == 0 && score["rows"] as? Int == 1 && score["skipped"] as? Int == 1)
  }

  @Test(
    "Unreadable input and invalid options are refused with flag and reason",
    arguments: [
      (["--input", "/no/such.csv"], ["--input", "/no/such.csv", "No such file"]),
      (["--input", "/"], ["--input", "directory"]), (["--score", "/no/such.csv"], ["--score", "/no/such.csv"]),
      (["--input", "-", "--format", "xml"], ["--format", "csv or ndjson", "xml"]),
      (["--format", "csv", "Oslo"], ["--format", "--input"]), ([], ["--input", "--score"]),
      (["Oslo", "--input", "-"], ["exactly one of"]),
      (["--autocomplete", "--reverse", "1,1"], ["--autocomplete", "--reverse"]),
      (["--lang", "german", "Oslo"], ["--lang", "two letters", "german"]),
      (["--level", "town", "Oslo"], ["--level", "postcode", "town"]),
      (["--focus", "1", "Oslo"], ["--focus", "LAT,LON"]),
      (["--score", "-"], ["--score", "empty"]), (["--input", "-"], ["--input", "empty", "columns"]),
      (["--score", "-", "--reverse"], ["--reverse", "expected_city"]),
    ])
  func unreadable(arguments: [String], words: [String]) async throws {
    let (status, output, log) = try await SystemFixture.current.run(["geocode"] + arguments)
    #expect(status > 0 && output.isEmpty)
    for word in words { #expect(log.contains(word), "\(arguments)") }
  }

  @Test("A table without the required columns is refused with the missing and the present ones")
  func columns() async throws {
    let path = try file("a.csv", "place,lat\nOslo,1\n")
    for flag in ["--input", "--score"] {
      let (status, output, log) = try await SystemFixture.current.run("geocode", flag, path)
      #expect(status > 0 && output.isEmpty, "\(log)")
      #expect(log.contains("missing column") && log.contains("the table has place, lat"), "\(log)")
    }
  }

  @Test("Text output shows further places only if the best is uncertain")
  func people() async throws {
    let (_, clear, _) = try await SystemFixture.current.run("geocode", "東京")
    #expect(clear.split(separator: "\n").count == 1)
    let (_, unclear, _) = try await SystemFixture.current.run("geocode", "Springfield")
    let lines = unclear.split(separator: "\n")
    #expect(lines.count == 5 && lines.dropFirst().allSatisfy { $0.hasPrefix("or ") })
    let (_, two, _) = try await SystemFixture.current.run("geocode", "--limit", "2", "Springfield")
    #expect(two.split(separator: "\n").count == 2 && !two.contains("or Spring"))
    let (status, point, _) = try await SystemFixture.current.run(
      "geocode", "--reverse", "--limit", "1", "--", "-33.87, 151.21")
    #expect(status == 0 && point.contains("151."))
  }
}
