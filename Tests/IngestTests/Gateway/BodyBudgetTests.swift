import Domain
import Testing

@testable import Ingest

@Suite("Budget for large bodies at a gateway")
struct BodyBudgetTests {
  private let budget = BodyBudget()
  private let bytes = Limits.bulkBytesMax

  private func network(_ number: Int) throws -> IPAddress { try #require(IPAddress("10.0.0.\(number)")) }

  @Test("A network has at most its own share, and a release returns bytes to it")
  func share() throws {
    let count = Limits.gatewayBytesOfNetworkMax / bytes
    for _ in 0..<count { #expect(budget.reserve(bytes, of: try network(1))) }
    #expect(!budget.reserve(1, of: try network(1)))
    #expect(budget.reserve(bytes, of: try network(2)) && budget.reserve(bytes, of: nil))
    budget.release(bytes, of: try network(1))
    #expect(budget.reserve(bytes, of: try network(1)))
  }

  @Test("All networks together have the whole budget")
  func total() throws {
    let (count, perNetwork) = (Limits.gatewayBytesMax / bytes, Limits.gatewayBytesOfNetworkMax / bytes)
    for number in 0..<count { #expect(budget.reserve(bytes, of: try network(number / perNetwork))) }
    #expect(!budget.reserve(1, of: nil))
  }
}
