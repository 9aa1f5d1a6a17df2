import Messaging

/// A form in which the feed is shown: what the feed tells goes in, text for standard output comes out. Pure, so that
/// it can be tested without a feed or a terminal.
protocol WatchFormat: Sendable {
  /// - Parameter moment: now, for ages, and the room there is.
  mutating func text(for news: [FeedSubscriber.Event], _ moment: RenderContext) -> String
  /// What is said on standard error since the last time: not part of what was asked for, but good to know.
  mutating func drainRemarks() -> [String]
  /// Whether as much was shown as was asked for.
  var isDone: Bool { get }
}

/// When and where something is shown.
struct RenderContext {
  /// Milliseconds since 1970, UTC.
  var unixMs: Int64
  /// Of the terminal.
  var rows = ToolLimits.windowDefault.rows
  /// Of the terminal.
  var columns = ToolLimits.windowDefault.columns
}
