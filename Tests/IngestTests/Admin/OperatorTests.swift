import Domain
import Glibc
import Testing

@testable import Ingest

@Suite("Operator names in the log")
struct OperatorTests {
  @Test("An operator is logged by user name and uid, by account or by address")
  func words() {
    #expect("\(Operator(sender: "localhost:0:0:17"))" == "root (uid 0)")
    #expect("\(Operator(sender: "localhost:4000000001:0:17"))" == "uid 4000000001", "No user has this uid.")
    #expect("\(Operator(sender: "127.0.0.1"))" == "127.0.0.1" && "\(Operator(sender: "::1"))" == "::1")
    #expect("\(Operator(sender: ""))" == "unknown")
    #expect("\(Operator.account(AccountID(rawValue: 3)))" == "account 3")
  }
}
