import HTTPTypes
import Testing

@testable import Web

@Suite("Readiness")
struct ReadinessTests {
  private func code(_ readiness: Readiness) -> String? {
    do {
      _ = try readiness.text()
      return nil
    } catch { return error.code }
  }

  @Test("A process is ready after startup unless a check throws, and the text contains the checks' remarks")
  func whole() throws {
    let readiness = Readiness()
    #expect(code(readiness) == "starting" && !readiness.isReady)
    readiness.waitAsStandby("another ingest leads")
    #expect(code(readiness) == "standby" && !readiness.isReady)
    readiness.begin()
    #expect(try readiness.text() == "ready\n" && readiness.isReady)
    readiness.add { () throws(Problem) in "the queue is paused" }
    readiness.add { () throws(Problem) in nil }
    #expect(try readiness.text() == "ready, but the queue is paused\n")
    readiness.add { () throws(Problem) in throw Problem(.serviceUnavailable, "first", "one") }
    readiness.add { () throws(Problem) in throw Problem(.serviceUnavailable, "second", "two") }
    #expect(code(readiness) == "first" && !readiness.isReady)
  }
}
