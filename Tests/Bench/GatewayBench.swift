import Foundation

/// Benchmark of a gateway, compared with ingest's own interfaces: the cost of a post at ingest, the rate and the
/// latency.
struct GatewayBench {
  let folder: URL
  let seconds: Int

  func measure(into table: inout Table) async throws {
    let direct = try await Pipeline.overHTTP(folder: folder, connections: 64, seconds: seconds)
    let through = try await Pipeline.overHTTP(folder: folder, connections: 64, seconds: seconds, front: .gateway)
    let submitted = try await Pipeline.overZeroMQ(folder: folder, batch: 64, seconds: seconds)
    table.add("gateway: posts accepted /s", through.acceptedPerSecond)
    table.add("gateway: posts accepted / ingest's HTTP", through.acceptedPerSecond / direct.acceptedPerSecond)
    for (name, pipeline) in [("gateway", through), ("ingest's HTTP", direct), ("ZeroMQ", submitted)] {
      for cost in pipeline.costs where ["ingest", "gateway"].contains(cost.role) {
        table.add("gateway: \(cost.role) CPU us a post over \(name)", cost.cpuMicroseconds)
      }
    }
    table.add("gateway: ingest CPU a post, gateway / ZeroMQ", through.ingestCPU / submitted.ingestCPU)
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
