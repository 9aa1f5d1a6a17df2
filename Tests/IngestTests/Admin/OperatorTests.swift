import Domain
import Glibc
import Testing

@testable import Ingest

@Suite("Who steers ingest, in the log")
struct OperatorTests {
  @Test("A user of the host stands there by name and number, others by account or address")
  func words() {
    #expect("\(Operator(sender: "localhost:0:0:17"))" == "root (uid 0)")
    #expect("\(Operator(sender: "localhost:4000000001:0:17"))" == "uid 4000000001", "Nobody has this number.")
    #expect("\(Operator(sender: "127.0.0.1"))" == "127.0.0.1" && "\(Operator(sender: "::1"))" == "::1")
    #expect("\(Operator(sender: ""))" == "unknown")
    #expect("\(Operator.account(AccountID(rawValue: 3)))" == "account 3")
  }
}
