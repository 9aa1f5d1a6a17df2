/// Rate of the posts that come and are settled, by which password hashes keep out of their way. A pure state machine:
/// the caller supplies the time, in milliseconds of a clock that never goes back.
package struct PostFlow: Sendable {
  /// Amount of work that posts make now.
  package enum Pace: Sendable, CaseIterable {
    /// No post came or was settled within `Limits.passwordQuietMs`.
    case quiet
    /// Fewer than `Limits.heavyPostsPerSecond`.
    case light
    case heavy
  }

  private var lastMs = Int64.min / 2
  private var startMs = Int64.min / 2
  /// Posts of the interval that began at `startMs`, and of the one before it. Each counts when it comes and again when
  /// it is settled.
  private var count = 0
  private var formerCount = 0

  package init() {}

  /// Records posts that come or are settled.
  package mutating func record(_ posts: Int, nowMs: Int64) {
    lastMs = nowMs
    let elapsedMs = nowMs - startMs
    if elapsedMs >= Limits.postFlowMs {
      formerCount = elapsedMs < 2 * Limits.postFlowMs ? count : 0
      (startMs, count) = (nowMs - (formerCount > 0 ? elapsedMs % Limits.postFlowMs : 0), 0)
    }
    count += posts
  }

  /// The pace at a time. Never quiet right after `record`.
  package func pace(nowMs: Int64) -> Pace {
    guard nowMs - lastMs < Limits.passwordQuietMs else { return .quiet }
    // The part of the former interval that lies within the last second.
    let restMs = max(0, Limits.postFlowMs - (nowMs - startMs))
    let perSecond = Int64(count) + Int64(formerCount) * restMs / Limits.postFlowMs
    return perSecond < 2 * Int64(Limits.heavyPostsPerSecond) ? .light : .heavy
  }
}
