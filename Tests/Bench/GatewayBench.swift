import Domain
import Foundation

/// Benchmark of a gateway, compared with ingest's own interfaces: the cost of a post and of a login, the rate
/// and the latency.
///
/// A commit costs the same for one post and for many. A post therefore costs less if more posts share its commit. The
/// ratios of ingest's CPU compare loads with the same number of posts in flight and of accounts, in which only ingest
/// limits the rate. Behind one gateway, HTTP clients limit the rate, and fewer posts share a commit.
struct GatewayBench {
  let folder: URL
  let seconds: Int

  private static let postsInFlight = 1_024

  func measure(into table: inout Table) async throws {
    try await link(accounts: 1, &table)
    try await link(accounts: 64, &table)
    let direct = try await Pipeline.overHTTP(folder: folder, connections: 64, seconds: seconds)
    let few = try await gateway(64)
    add("ingest's HTTP, 64 in flight", direct, &table)
    add("a gateway, 64 in flight", few, &table)
    add("a gateway, 64 in flight of 64 accounts", try await gateway(64, accounts: 64), &table)
    table.add("gateway: posts accepted at 64 /s", few.acceptedPerSecond)
    table.add("gateway: posts accepted at 64 / ingest's HTTP", few.acceptedPerSecond / direct.acceptedPerSecond)
    // With a machine of its own, a gateway would accept more posts than ingest's own HTTP by the inverse of this ratio.
    table.add(
      "gateway: CPU a post, gateway / ingest's own HTTP", few.cpu(of: "gateway") / direct.cpu(of: "ingest"),
      within: 0...1.1)
    let many = try await gateway(Self.postsInFlight)
    table.add("gateway: posts accepted at 1,024 /s", many.acceptedPerSecond)
    add("a gateway, 1,024 in flight", many, &table)
    try await logins(&table)
    try latency(&table)
  }

  /// Compares a gateway's link with producers of as many accounts.
  private func link(accounts: Int, _ table: inout Table) async throws {
    let link = try await Pipeline.overGatewayLink(
      folder: folder, open: Self.postsInFlight, accounts: accounts, seconds: seconds)
    let open = accounts == 1 ? Limits.submitRequestsOfConnectionMax : 1
    let producers = try await Pipeline.overZeroMQ(
      folder: folder, producers: accounts, batch: Self.postsInFlight / accounts / open, open: open, seconds: seconds)
    let load = accounts == 1 ? "1 account" : "\(accounts) accounts"
    add("the link, \(load)", link, &table)
    add("ZeroMQ, \(load)", producers, &table)
    table.add(
      "gateway: ingest CPU a post, link / ZeroMQ, \(load)", link.cpu(of: "ingest") / producers.cpu(of: "ingest"),
      within: 0...1.3)
    table.add(
      "gateway: posts accepted, link / ZeroMQ, \(load)", link.acceptedPerSecond / producers.acceptedPerSecond)
  }

  private func gateway(_ connections: Int, accounts: Int = 1) async throws -> Pipeline {
    try await Pipeline.overHTTP(
      folder: folder, connections: connections, seconds: seconds, front: .gateway, accounts: accounts)
  }

  private func add(_ name: String, _ pipeline: Pipeline, _ table: inout Table) {
    for cost in pipeline.costs where ["ingest", "gateway"].contains(cost.role) {
      table.add("gateway: \(cost.role) CPU us a post over \(name)", cost.cpuMicroseconds)
    }
  }

  /// Compares the logins of a crowd at ingest with those at a gateway, which computes the password hashes.
  private func logins(_ table: inout Table) async throws {
    let people = 0..<100
    for (front, name) in [(Deployment.Front.ingest, "ingest"), (.gateway, "a gateway")] {
      let deployment = try Deployment(folder: folder, front: front)
      let crowd = try LoginCrowd(http: deployment.http)
      _ = try await crowd.signUp(people, from: "198.51.100.1")
      deployment.mark()
      let responses = try await crowd.logIn(people, from: "198.51.100.2")
      let refused = responses.count { $0.status != 200 }
      guard refused == 0 else { throw BenchError("\(refused) logins at \(name) were refused") }
      for cost in deployment.costs(per: people.count) where ["ingest", "gateway"].contains(cost.role) {
        table.add("gateway: \(cost.role) CPU ms a login at \(name)", cost.cpuMicroseconds / 1_000)
      }
    }
  }

  private func latency(_ table: inout Table) throws {
    let own = try Deployment(folder: folder).load(rate: 1_000, seconds: seconds)
    let held = try Deployment(folder: folder, front: .gateway).load(rate: 1_000, seconds: seconds)
    table.add("gateway: accept p50 at 1,000/s ms", held.acceptMs.p50)
    table.add("gateway: accept p99 at 1,000/s ms", held.acceptMs.p99)
    // The difference of two loads may be negative.
    table.add("gateway: added to accept p50 at 1,000/s ms", held.acceptMs.p50 - own.acceptMs.p50, within: -10...0.6)
    table.add("gateway: added to accept p99 at 1,000/s ms", held.acceptMs.p99 - own.acceptMs.p99, within: -1_000...2)
  }
}

extension Pipeline {
  /// CPU time of a role per post, in µs.
  func cpu(of role: String) -> Double { costs.first { $0.role == role }?.cpuMicroseconds ?? 0 }
}
