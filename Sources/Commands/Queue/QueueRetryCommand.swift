import ArgumentParser
import Domain

struct QueueRetryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry", abstract: "Put dead posts back into the queue, with fresh counts.",
    discussion: """
      The exit status is 1 when one of them was not dead; the others are retried.

      Examples:
        onthemap queue retry 4D5ox566Xg 4D5ox6Ttnk
        onthemap queue retry --reason workers_lost
        onthemap queue retry --all
      """)

  @Argument(help: "The posts' ids.")
  var ids: [String] = []
  @Flag(help: "All dead posts.")
  var all = false
  @Option(help: "All dead posts with this code.")
  var reason: String?
  @Flag(help: "One JSON object.")
  var json = false
  @OptionGroup var options: AdminOptions

  func validate() throws {
    guard [!ids.isEmpty, all, reason != nil].count(where: { $0 }) == 1 else {
      throw ValidationError("Say which: ids, or --all, or --reason CODE.")
    }
    for id in ids { _ = try PostID(argument: id) }
    guard reason?.isEmpty != true else { throw ValidationError("--reason must be a code, as queue status shows it.") }
  }

  func run() async throws {
    let ids = try ids.map { try PostID(argument: $0) }
    try await options.connected { connection in
      var sum = QueueChange()
      do {
        if ids.isEmpty {
          // By rising ids, so that one that dies again at once is not met twice.
          repeat {
            sum.add(try await connection.change(.retry(.all(reason: reason, after: sum.next))))
          } while sum.next != nil
        } else {
          for page in ids.pages { sum.add(try await connection.change(.retry(.these(page)))) }
        }
      } catch {
        if !sum.done.isEmpty { try? sum.report("is back in the queue", "are back in the queue", json: json) }
        throw error
      }
      try sum.report("is back in the queue", "are back in the queue", json: json)
    }
  }
}

struct QueueDropCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drop", abstract: "End dead posts for good.",
    discussion: """
      Their owners then see them as rejected, with the code dropped and why they died.
      The exit status is 1 when one of them was not dead; the others are dropped.

      Example:
        onthemap queue drop 4D5ox566Xg
      """)

  @Argument(help: "The posts' ids.")
  var ids: [String]
  @Flag(help: "One JSON object.")
  var json = false
  @OptionGroup var options: AdminOptions

  func validate() throws { for id in ids { _ = try PostID(argument: id) } }

  func run() async throws {
    let ids = try ids.map { try PostID(argument: $0) }
    try await options.connected { connection in
      var sum = QueueChange()
      for page in ids.pages { sum.add(try await connection.change(.drop(page))) }
      try sum.report("is dropped", "are dropped", json: json)
    }
  }
}

extension [PostID] {
  /// As many together as one request may name.
  fileprivate var pages: [[PostID]] {
    stride(from: 0, to: count, by: Limits.adminPostsMax).map {
      Array(self[$0..<Swift.min($0 + Limits.adminPostsMax, count)])
    }
  }
}

extension AdminConnection {
  fileprivate func change(_ request: AdminRequest) async throws -> QueueChange {
    guard case .changed(let change) = try await send(request) else { throw SettingError.unexpectedReply }
    return change
  }
}

extension QueueChange {
  fileprivate mutating func add(_ other: QueueChange) {
    done += other.done
    unchanged += other.unchanged
    next = other.next
  }

  /// Says what has changed, and complains about what has not.
  ///
  /// - Throws: `ExitCode` 1 where there is something to complain about.
  fileprivate func report(_ one: String, _ many: String, json: Bool) throws {
    if json {
      printLine(QueueJSON.change(self))
    } else {
      // Where nothing has changed, the complaints say all.
      if done.count == 1 {
        printLine("\(done[0]) \(one).")
      } else if !done.isEmpty || unchanged.isEmpty {
        printLine("\(counted(done.count, "post")) \(many).")
      }
      for post in unchanged {
        printError(post.state.map { "\(post.id) is \($0.word), not dead." } ?? "There is no post \(post.id).")
      }
    }
    if !unchanged.isEmpty { throw ExitCode(1) }
  }
}
