import Domain

/// The gateway of a request, which computes the hashes of the request's passwords. Ingest keeps their order, and
/// compares the results.
struct HashingGateway: Sendable {
  /// The gateway of the current task's request. Nil if ingest itself computes the request's hashes.
  @TaskLocal static var current: HashingGateway?

  /// Routing id of the gateway's connection. Requests with the same id share a queue.
  let id: [UInt8]
  /// Number of hashes that the gateway computes at a time, 1 or more.
  let parallelMax: Int
  /// Computes a hash at the gateway.
  let hash: @Sendable (PasswordHashWork) async -> Result<[UInt8], GatewayHashes.Failure>
}
