import Messaging

/// Converter of the feed's events to text for standard output. Pure, so that tests need no feed and no terminal.
protocol WatchFormat: Sendable {
  /// Returns the text for new events.
  ///
  /// - Parameter moment: The current time, for ages, and the size of the window.
  mutating func text(for events: [FeedSubscriber.Event], _ moment: RenderContext) -> String
  /// Removes and returns the new remarks for standard error, which are not part of the output.
  mutating func drainRemarks() -> [String]
  /// True if everything that the user requested is shown.
  var isDone: Bool { get }
}

/// The time and the size of a drawing.
struct RenderContext {
  /// Time in milliseconds since 1970, UTC.
  var unixMs: Int64
  /// Rows of the terminal.
  var rows = ToolLimits.windowDefault.rows
  /// Columns of the terminal.
  var columns = ToolLimits.windowDefault.columns
}
