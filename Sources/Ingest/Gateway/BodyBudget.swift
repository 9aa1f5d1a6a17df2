import Domain
import Synchronization

/// Budget for the large bodies that a gateway receives and holds, `Limits.gatewayBytesMax` bytes in total. Any thread.
final class BodyBudget: Sendable {
  private let reserved = Mutex(0)

  /// Reserves bytes until `release`. Returns false if the budget has too few.
  func reserve(_ bytes: Int) -> Bool {
    reserved.withLock { reserved in
      guard reserved + bytes <= Limits.gatewayBytesMax else { return false }
      reserved += bytes
      return true
    }
  }

  func release(_ bytes: Int) { reserved.withLock { $0 -= bytes } }
}
