import Foundation
import Testing

@Suite(
  "Python worker written from proto/README.md", .fixture,
  .enabled(if: PythonExample.isReady, "protoc or .venv is missing: deploy/setup.sh test makes both"))
struct PythonWorkerTests {
  private struct Status: Decodable {
    struct Worker: Decodable { let name: String }
    let workers: [Worker]
    let leased: Int
  }

  private func status() async throws -> Status {
    let ran = try await SystemFixture.current.run(
      "queue", "status", "--json", "--data", SystemFixture.current.path("data"))
    return try JSONDecoder().decode(Status.self, from: Data(ran.output.utf8))
  }

  /// Creates the example worker for the job link of the services.
  private func worker(of map: Services) async throws -> Program {
    let port = try map.ports.first { $0.name == "jobs" }?.port ?? 0
    let worker = try await PythonWorker.made(in: .current)
    let command = worker.command(endpoint: "tcp://127.0.0.1:\(port)")
    return try SystemFixture.current.program(
      Array(command.dropFirst()), executable: URL(fileURLWithPath: command[0]), environment: worker.environment)
  }

  private func joined(_ worker: Program, times count: Int = 1) async throws {
    try await eventually("the worker has joined \(count) times") {
      worker.standardOutput.components(separatedBy: "joined\n").count - 1 >= count
    }
  }

  @Test("The Python worker survives restarts of ingest and its own, and closes gracefully")
  func life() async throws {
    let map = try await SystemFixture.current.roles(workers: 0)
    let client = try await map.client.signedUp()
    let worker = try await worker(of: map)
    try worker.start()
    try await joined(worker)
    let found = try await client.post("avalon isle", wait: 30)
    #expect(found["state"] == "published" && found["label"] == "Avalon, Somerset, England", "\(found.object)")
    let unknown = try await client.post("Seattle", wait: 30)
    #expect(unknown["state"] == "rejected", "\(unknown.object)")

    try await map.ingest.restart()
    try await joined(worker, times: 2)
    #expect(try await client.post("Avalon Isle", wait: 30)["state"] == "published")

    // A post that arrives while no worker runs waits for the next start.
    try await worker.kill()
    let waiting = try await client.post("Avalon Isle", wait: 0)
    #expect(waiting["state"] == "queued")
    try worker.start()
    try await joined(worker)
    let id = try #require(waiting["id"])
    try await eventually("the waiting post is published") {
      try await client.get("/v2/posts/\(id)")["state"] == "published"
    }

    worker.signal(SIGTERM)
    #expect(try await worker.exit() == 0)
    #expect(worker.standardOutput.hasSuffix("left\n"))
    #expect(map.ingest.standardError.contains("graceful close"))
    // The killed worker's session ends by its silence.
    try await eventually("no worker and no lease is left") {
      let status = try await status()
      return status.workers.isEmpty && status.leased == 0
    }
  }
}
