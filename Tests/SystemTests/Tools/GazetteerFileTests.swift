import Foundation
import Testing

@Suite("Gazetteer file", .fixture)
struct GazetteerFileTests {
  /// Returns a source with one city.
  private static func source(_ city: String) -> String {
    """
    gazetteer\t1\tdata © nobody
    C\tAA\t\t11\t21\t5000\tAland\tAA\t
    L\tAA\tsv\tÅland
    R\tAA\t01\t11\t21\t900\tMidden\t\t
    D\tAA\t01/1\t11\t21\t900\tShore\t\t
    P\tAA\t01/1\t11.1\t21.1\t300\t\(city)\t\t
    Z\tAA\t12345\t11.1\t21.1

    """
  }

  /// Compiles a source into the file through a pipe, like an operator.
  private func build(_ source: String, _ path: String) async throws -> (status: Int32, log: String) {
    let process = Process()
    process.executableURL = Program.binary
    process.arguments = ["gazetteer", "build", "--output", path]
    let (input, log) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = FileHandle.nullDevice
    process.standardError = log
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data(source.utf8))
    try input.fileHandleForWriting.close()
    let text = try log.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: text, as: UTF8.self))
  }

  private func expectFound(_ city: String, _ client: Client) async throws {
    try await eventually("\(city) is found") {
      try await client.get("/v2/geocode?q=\(city)").status == 200
    }
  }

  @Test("gazetteer info shows the contents, and gazetteer verify refuses a damaged file")
  func infoAndVerify() async throws {
    let fixture = SystemFixture.current
    let path = fixture.path("a.otm")
    #expect(try await build(Self.source("Oldtown"), path).status == 0)
    let info = try await fixture.run("gazetteer", "info", path)
    #expect(info.status == 0 && info.output.contains("postcodes    1\n") && info.output.contains("data © nobody"))
    let json = try await fixture.run("gazetteer", "info", "--json", path)
    let object = try #require(JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    for (name, count) in ["countries": 1, "regions": 1, "counties": 1, "places": 1, "postcodes": 1, "languages": 1] {
      #expect(object[name] as? Int == count, "\(name): \(object)")
    }
    let whole = try await fixture.run("gazetteer", "verify", path)
    #expect(whole.status == 0 && whole.output == "\(path): valid\n")

    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: URL(fileURLWithPath: path))
    let damaged = try await fixture.run("gazetteer", "verify", path)
    #expect(damaged.status == 1 && damaged.output.isEmpty && damaged.log.contains(path))
    for command in ["info", "verify"] {
      let missing = try await fixture.run("gazetteer", command, "/nowhere/a.otm")
      #expect(missing.status == 1 && missing.log.contains("/nowhere/a.otm"))
    }
  }

  @Test("A failed build names the line and leaves the old file")
  func failedBuild() async throws {
    let fixture = SystemFixture.current
    let path = fixture.path("a.otm")
    #expect(try await build(Self.source("Oldtown"), path).status == 0)
    let failed = try await build(Self.source("Newtown") + "P\tAA\n", path)
    #expect(failed.status == 1 && failed.log.contains("line 8"))
    let dump = try await fixture.run("gazetteer", "build", "--geonames", fixture.path("none"), "--output", path)
    #expect(dump.status == 1 && dump.log.contains("none/allCountries.txt"))
    let usage = try await fixture.run("gazetteer", "build", "--postcodes", "x", "--output", path)
    #expect(usage.status == 64 && usage.log.contains("--geonames"))
    #expect(try await fixture.run("gazetteer", "verify", path).status == 0)
    #expect(try await fixture.run("geocode", "--gazetteer", path, "Oldtown").status == 0)
  }

  @Test("SIGHUP loads a new file without a failed lookup, and refuses a damaged one")
  func replacedUnderService() async throws {
    let fixture = SystemFixture.current
    let path = fixture.path("a.otm")
    #expect(try await build(Self.source("Oldtown"), path).status == 0)
    let map = try await fixture.up("--gazetteer", path)
    let client = try map.client
    try await expectFound("Oldtown", client)

    let lookups = Task {
      var count = 0
      while !Task.isCancelled {
        // Both files have the country.
        let status = try await client.get("/v2/geocode?q=Aland").status
        #expect(status == 200)
        count += 1
      }
      return count
    }
    #expect(try await build(Self.source("Newtown"), path).status == 0)
    #expect(try await client.get("/v2/geocode?q=Newtown").status == 404, "The new file must wait for SIGHUP.")
    map.ingest.signal(SIGHUP)
    try await expectFound("Newtown", client)
    #expect(try await client.get("/v2/geocode?q=Oldtown").status == 404)

    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: URL(fileURLWithPath: path), options: .atomic)
    map.ingest.signal(SIGHUP)
    try await eventually("the damaged file is refused") { map.ingest.standardError.contains("gazetteer reload failed") }
    try await expectFound("Newtown", client)
    lookups.cancel()
    #expect(try await lookups.value > 0)
  }

  @Test("A separate worker loads a new file on SIGHUP")
  func replacedUnderWorker() async throws {
    let fixture = SystemFixture.current
    let path = fixture.path("a.otm")
    #expect(try await build(Self.source("Oldtown"), path).status == 0)
    let map = try await fixture.roles(workers: 0)
    let jobs = try map.ports.first { $0.name == "jobs" }?.port ?? 0
    let worker = try fixture.program(["worker", "--ingest", "tcp://127.0.0.1:\(jobs)", "--gazetteer", path])
    try await worker.startAndWait()
    try await expectFound("Oldtown", try map.client)
    #expect(try await build(Self.source("Newtown"), path).status == 0)
    worker.signal(SIGHUP)
    try await expectFound("Newtown", try map.client)
    worker.signal(SIGTERM)
    #expect(try await worker.exit() == 0)
  }
}
