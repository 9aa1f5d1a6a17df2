/// Rate of accepted and settled posts, which determines how much of the machine password hashes may use. A pure state
/// machine: the caller supplies the time, in milliseconds of a monotonic clock.
package struct PostFlow: Sendable {
  /// Load that posts cause now.
  package enum Pace: Sendable, CaseIterable {
    /// No post was accepted or settled within `Limits.passwordQuietMs`.
    case quiet
    /// The rate is below `Limits.heavyPostsPerSecond`.
    case light
    case heavy
  }

  private var lastMs = Int64.min / 2
  private var startMs = Int64.min / 2
  /// Number of posts in the interval that began at `startMs`. Each post counts when it is accepted and when it is
  /// settled.
  private var count = 0
  /// Number of posts in the interval before `startMs`.
  private var formerCount = 0

  package init() {}

  /// Records posts that are accepted or settled.
  package mutating func record(_ posts: Int, nowMs: Int64) {
    lastMs = nowMs
    let elapsedMs = nowMs - startMs
    if elapsedMs >= Limits.postFlowMs {
      formerCount = elapsedMs < 2 * Limits.postFlowMs ? count : 0
      (startMs, count) = (nowMs - (formerCount > 0 ? elapsedMs % Limits.postFlowMs : 0), 0)
    }
    count += posts
  }

  /// Returns the pace at a time. The pace right after `record` is never quiet.
  package func pace(nowMs: Int64) -> Pace {
    guard nowMs - lastMs < Limits.passwordQuietMs else { return .quiet }
    // Part of the previous interval that lies within the last second.
    let restMs = max(0, Limits.postFlowMs - (nowMs - startMs))
    let perSecond = Int64(count) + Int64(formerCount) * restMs / Limits.postFlowMs
    return perSecond < 2 * Int64(Limits.heavyPostsPerSecond) ? .light : .heavy
  }
}
