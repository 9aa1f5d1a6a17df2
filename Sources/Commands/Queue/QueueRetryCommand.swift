import ArgumentParser
import Domain

struct QueueRetryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry", abstract: "Return dead posts to the queue, with their failure counts reset.",
    usage: "onthemap queue retry [<options>] [<ids> ...]",
    discussion: """
      Exit status 1 if a given post is not dead. The other posts are still retried.

      Examples:
        onthemap queue retry 4D5ox566Xg 4D5ox6Ttnk
        onthemap queue retry --reason workers_lost
        onthemap queue retry --all
      """)

  @Argument(help: "Post ids.")
  var ids: [String] = []
  @Flag(help: "Retry all dead posts.")
  var all = false
  @Option(help: "Reason code. Retries all dead posts with this code.")
  var reason: String?
  @Flag(help: "Print one JSON object.")
  var json = false
  @OptionGroup var options: AdminOptions

  func validate() throws {
    guard [!ids.isEmpty, all, reason != nil].count(where: { $0 }) == 1 else {
      throw ValidationError("expected exactly one of post ids, --all and --reason.")
    }
    for id in ids { _ = try PostID(argument: id) }
    guard reason?.isEmpty != true else {
      throw ValidationError("--reason must be a code, as listed by `onthemap queue status`.")
    }
  }

  func run() async throws {
    let ids = try ids.map { try PostID(argument: $0) }
    try await options.connected { connection in
      var sum = QueueChange()
      do {
        if ids.isEmpty {
          // Each page begins after the previous one. No post that immediately becomes dead again is retried twice.
          repeat {
            sum.add(try await connection.change(.retry(.all(reason: reason, after: sum.next))))
          } while sum.next != nil
        } else {
          for page in ids.pages { sum.add(try await connection.change(.retry(.posts(page)))) }
        }
      } catch {
        if !sum.done.isEmpty { try? sum.report("is back in the queue", "are back in the queue", json: json) }
        throw error
      }
      try sum.report("is back in the queue", "are back in the queue", json: json)
    }
  }
}

struct QueueDiscardCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "discard", abstract: "Reject dead posts permanently.",
    usage: "onthemap queue discard [<options>] <ids> ...",
    discussion: """
      Owners see the state rejected, the code discarded and the original error. Exit
      status 1 if a given post is not dead. The other posts are still discarded.

      Example:
        onthemap queue discard 4D5ox566Xg
      """)

  @Argument(help: "Post ids.")
  var ids: [String]
  @Flag(help: "Print one JSON object.")
  var json = false
  @OptionGroup var options: AdminOptions

  func validate() throws { for id in ids { _ = try PostID(argument: id) } }

  func run() async throws {
    let ids = try ids.map { try PostID(argument: $0) }
    try await options.connected { connection in
      var sum = QueueChange()
      for page in ids.pages { sum.add(try await connection.change(.discard(page))) }
      try sum.report("is discarded", "are discarded", json: json)
    }
  }
}

extension [PostID] {
  /// The ids, split into requests of the maximum size.
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

  /// Prints the changed posts, and an error for each unchanged one.
  ///
  /// - Throws: `ExitCode` 1 if there is an unchanged post.
  fileprivate func report(_ one: String, _ many: String, json: Bool) throws {
    if json {
      printLine(QueueJSON.change(self))
    } else {
      // If nothing has changed, the errors suffice.
      if done.count == 1 {
        printLine("\(done[0]) \(one).")
      } else if !done.isEmpty || unchanged.isEmpty {
        printLine("\(counted(done.count, "post")) \(many).")
      }
      for post in unchanged {
        printError(post.state.map { "\(post.id) is \($0.name), not dead." } ?? "No post \(post.id).")
      }
    }
    if !unchanged.isEmpty { throw ExitCode(1) }
  }
}
