import Domain

/// The queue as JSON for programs: one object on one line, without characters that a terminal obeys.
enum QueueJSON {
  static func status(_ status: QueueStatus) -> String { line { status.write(to: &$0) } }

  static func list(_ entries: [QueueEntry], next: PostID?) -> String {
    line { json in
      json.array("posts", entries) { $1.write(to: &$0) }
      if let next { json.add("next", next.description) }
    }
  }

  static func report(_ entry: QueueEntry, _ history: [PostEvent]) -> String { line { entry.write(to: &$0, history) } }

  static func change(_ change: QueueChange) -> String { line { change.write(to: &$0) } }

  /// Returns the state of the pause.
  ///
  /// - Parameter sinceMs: Start of the pause, in milliseconds since 1970. Nil if the queue is not paused.
  static func paused(_ sinceMs: Int64?) -> String {
    line { json in
      json.add("paused", sinceMs != nil)
      if let sinceMs { json.add("pausedAt", unixMs: sinceMs) }
    }
  }

  private static func line(_ body: (inout JSONWriter) -> Void) -> String {
    WatchJSON.ascii(JSONWriter.object(body).bytes)
  }
}
