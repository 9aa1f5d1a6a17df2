import Foundation

/// Benchmark of a gateway, compared with ingest's own interfaces: the cost of a post at ingest, the rate and the
/// latency.
///
/// The more posts share a commit, the less a post costs. A gateway is therefore compared with a producer that has the
/// same number of posts in flight, all of one account. The rates still differ: HTTP clients take most of the time
/// between two posts, so fewer posts of a gateway share a commit.
struct GatewayBench {
  let folder: URL
  let seconds: Int

  func measure(into table: inout Table) async throws {
    let direct = try await Pipeline.overHTTP(folder: folder, connections: 64, seconds: seconds)
    add("ingest's HTTP, 64 in flight", direct, &table)
    // The frames of a gateway with 64 posts in flight have about half of them.
    let few = try await (gateway(64), Pipeline.overZeroMQ(folder: folder, batch: 32, open: 2, seconds: seconds))
    table.add("gateway: posts accepted at 64 /s", few.0.acceptedPerSecond)
    table.add("gateway: posts accepted at 64 / ingest's HTTP", few.0.acceptedPerSecond / direct.acceptedPerSecond)
    compare(few.0, few.1, "64 in flight", &table)
    let many = try await (gateway(1_024), Pipeline.overZeroMQ(folder: folder, batch: 64, seconds: seconds))
    table.add("gateway: posts accepted at 1,024 /s", many.0.acceptedPerSecond)
    compare(many.0, many.1, "1,024 in flight", &table)
    // A producer has one account, so no load over ZeroMQ has this shape.
    add("a gateway, 64 in flight of 64 accounts", try await gateway(64, accounts: 64), &table)
    try latency(&table)
  }

  private func gateway(_ connections: Int, accounts: Int = 1) async throws -> Pipeline {
    try await Pipeline.overHTTP(
      folder: folder, connections: connections, seconds: seconds, front: .gateway, accounts: accounts)
  }

  private func compare(_ through: Pipeline, _ submitted: Pipeline, _ load: String, _ table: inout Table) {
    add("a gateway, \(load)", through, &table)
    add("ZeroMQ, \(load)", submitted, &table)
    table.add("gateway: ingest CPU a post, gateway / ZeroMQ, \(load)", through.ingestCPU / submitted.ingestCPU)
  }

  private func add(_ name: String, _ pipeline: Pipeline, _ table: inout Table) {
    for cost in pipeline.costs where ["ingest", "gateway"].contains(cost.role) {
      table.add("gateway: \(cost.role) CPU us a post over \(name)", cost.cpuMicroseconds)
    }
  }

  private func latency(_ table: inout Table) throws {
    let own = try Deployment(folder: folder).load(rate: 1_000, seconds: seconds)
    let held = try Deployment(folder: folder, front: .gateway).load(rate: 1_000, seconds: seconds)
    table.add("gateway: accept p50 at 1,000/s ms", held.acceptMs.p50)
    table.add("gateway: accept p99 at 1,000/s ms", held.acceptMs.p99)
    table.add("gateway: added to accept p50 at 1,000/s ms", held.acceptMs.p50 - own.acceptMs.p50)
    table.add("gateway: added to accept p99 at 1,000/s ms", held.acceptMs.p99 - own.acceptMs.p99)
  }
}

extension Pipeline {
  /// CPU time of ingest per post, in µs.
  fileprivate var ingestCPU: Double { costs.first { $0.role == "ingest" }?.cpuMicroseconds ?? 0 }
}
