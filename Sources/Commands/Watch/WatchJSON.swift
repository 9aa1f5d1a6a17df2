import Domain
import Messaging

/// JSON for programs: an object on one line for each event.
struct WatchJSON: WatchFormat {
  private let limit: Int
  private var shown = 0

  /// Creates the format.
  ///
  /// - Parameter limit: Number of lines before the end.
  init(limit: Int) { self.limit = limit }

  var isDone: Bool { shown >= limit }

  mutating func drainRemarks() -> [String] { [] }

  mutating func text(for events: [FeedSubscriber.Event], _ moment: RenderContext) -> String {
    let events = events.prefix(limit - shown)
    shown += events.count
    return events.map { WatchJSON.line($0) + "\n" }.joined()
  }

  private static func line(_ event: FeedSubscriber.Event) -> String {
    switch event {
    case .list(let state, let isStale):
      // The list as every service writes it, with the member kind in front.
      return #"{"kind":"snapshot","# + ascii(state.json(isStale: isStale).bytes.dropFirst())
    case .changes(let delta, let state):
      return ascii(
        JSONWriter.object { json in
          json.add("kind", "delta")
          delta.write(to: &json, state)
        }.bytes)
    case .stale(let isStale):
      return ascii(
        JSONWriter.object { json in
          json.add("kind", "stale")
          json.add("stale", isStale)
        }.bytes)
    case .desynced(let reason):
      return ascii(
        JSONWriter.object { json in
          json.add("kind", "resync")
          json.add("reason", reason.description)
        }.bytes)
    }
  }

  /// Returns the same JSON with every character escaped that a terminal obeys. Such characters occur only within texts.
  static func ascii(_ bytes: some Collection<UInt8>) -> String {
    VisibleText(String(decoding: bytes, as: UTF8.self)).replacingHidden { scalar in
      (UTF16.encode(scalar) ?? .init()).map { "\\u" + hexadecimal(UInt64($0), digits: 4) }.joined()
    }
  }
}
