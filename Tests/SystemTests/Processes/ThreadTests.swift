import Foundation
import Testing

@Suite("Threads", .fixture)
struct ThreadTests {
  @Test("Every thread of a service has scheduling policy SCHED_BATCH and a name")
  func policy() async throws {
    let program = try await SystemFixture.current.up().ingest
    let tasks = "/proc/\(try #require(program.pid))/task"
    var names: [String] = []
    for thread in try FileManager.default.contentsOfDirectory(atPath: tasks) {
      // The name in parentheses may contain spaces. The fields after it begin with field 3. Field 41 is the policy
      // (proc(5)).
      let line = try String(contentsOfFile: "\(tasks)/\(thread)/stat", encoding: .utf8)
      let fields = line.drop { $0 != ")" }.dropFirst(2).split(separator: " ")
      #expect(fields[38] == "3", "\(line)")
      names.append(String(line.drop { $0 != "(" }.dropFirst().prefix { $0 != ")" }))
    }
    #expect(Set(["ingest", "feed", "worker"]).isSubset(of: names))
  }
}
