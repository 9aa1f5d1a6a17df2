import Synchronization
import Testing

@testable import Conformance
@testable import Domain
@testable import Messaging

@Suite("Conformance socket")
struct ConformanceSocketTests {
  /// An endpoint without a listener.
  private static let unused = try? Endpoint("tcp://127.0.0.1:1")

  @Test("A run without a connected program ends at its timeout", arguments: 0..<4)
  func unconnected(number: Int) async throws {
    let unused = try #require(Self.unused)
    let (program, rules): (ProgramUnderTest, Int) = [
      (.worker(query: "Oslo"), WorkerRule.allCases.count - 1), (.subscriber, SubscriberRule.allCases.count - 1),
      (.producer, ProducerRule.allCases.count), (.feed(publish: unused, query: unused), FeedRule.allCases.count - 1),
    ][number]
    let report = Mutex<ConformanceReport?>(nil)
    let endpoint = try Endpoint.anyPort()
    let wake = WakeupEvent()
    let environment = ConformanceEnvironment(
      waitMs: 100, hasProcess: false, events: CommandQueue(wake), logger: quiet,
      finished: { result in report.withLock { $0 = result } })
    let (reactor, bound) = try Reactor.start("conformance", wake: wake) { context in
      let made = try program.makeSocket(context, bind: endpoint, environment: environment)
      return ([made.socket], made.endpoint)
    }
    defer { reactor.stop() }
    #expect(bound.port > 0)
    try await eventually("the run is over") { report.withLock { $0 != nil } }
    #expect(report.withLock { $0?.findings.count } == rules)
  }
}
