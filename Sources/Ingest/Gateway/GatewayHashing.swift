import Domain
import Messaging

/// The password hashes that a gateway computes for ingest, on its own `HashThreads`. Ingest keeps their order, and
/// requests at most `parallelMax` at a time. As many more may wait, because hashes of an earlier run of ingest may be
/// in progress. Any thread.
struct GatewayHashing: Sendable {
  private let parallelMax: Int
  private let threads = HashThreads()
  private let permits: AsyncSemaphore

  /// - Parameter parallelMax: Number of hashes at a time, 1 or more.
  init(parallelMax: Int) {
    self.parallelMax = parallelMax
    permits = AsyncSemaphore(permits: parallelMax, waitingMax: parallelMax)
  }

  /// The hashes, for the gateway's link.
  var link: GatewayClient.Hashing {
    GatewayClient.Hashing(parallelMax: parallelMax) { work, completion in
      Task {
        let outcome = await permits.withPermit { await threads.hash(work) }
        completion(outcome??.value)
      }
    }
  }
}
