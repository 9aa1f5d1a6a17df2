import Foundation
import Testing

@Suite("Faults: poison jobs", .fixture, .serialized)
struct PoisonFaultTests {
  @Test(
    "A job that kills every worker is dead after three kills, and other jobs are settled",
    .enabled(if: Fault.isFull, Fault.full))
  func poison() async throws {
    let map = try await SystemFixture.current.roles(workers: 0)
    let client = try await map.client.signedUp()
    let port = try map.ports.first { $0.name == "jobs" }?.port ?? 0
    let poison = try await client.post("Poison")
    for number in 0..<20 { #expect(try await client.post("Oslo", key: "\(number)").status == 202) }
    let deaths = try await withThrowingTaskGroup(of: Int.self) { group in
      group.addTask {
        var deaths = 0
        while !Task.isCancelled {
          let worker = try FailingWorker(port: port, deadly: "Poison")
          do { try await worker.run() } catch is FailingWorker.Killed { deaths += 1 } catch is CancellationError {}
        }
        return deaths
      }
      try await eventually("no post is queued") {
        try await client.posts().allSatisfy { $0.state != "queued" }
      }
      group.cancelAll()
      return try await group.next() ?? 0
    }
    #expect(deaths == 3, "The job killed \(deaths) workers.")
    let posts = try await client.posts()
    let dead = try #require(posts.first { $0.id == poison["id"] })
    #expect(dead.state == "dead" && dead.reason?.code == "workers_lost")
    #expect(posts.filter { $0.state == "dead" && $0.reason?.code == "workers_lost" }.count == 1)
  }
}
