import Foundation
import Testing

/// A subscriber: `onthemap watch --json`, whose lines these tests put together into a list of their own.
struct Watcher: Sendable {
  struct Line: Decodable, Sendable {
    let kind: String
    let epoch: String?
    let seq: UInt64?
    let stateHash: String?
    let entries: [FeedList.Entry]?
    let upsert: [FeedList.Entry]?
    let remove: [String]?
    let reason: String?
    let stale: Bool?
  }

  let program: Program

  /// All whole lines so far.
  var lines: [Line] {
    get throws {
      let said = program.said
      let whole = said.hasSuffix("\n") ? said[...] : said[..<(said.lastIndex(of: "\n") ?? said.startIndex)]
      return try whole.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    }
  }

  /// Expects that it has lost the feed by silence at most. On a machine that stands still for 3 s a subscriber finds
  /// its feed silent.
  ///
  /// - Returns: true if it has lost nothing.
  func isUndisturbed() throws -> Bool {
    let losses = try lines.filter { $0.kind == "lost" }
    #expect(losses.allSatisfy { $0.reason == "the feed is silent" }, "\(losses)")
    return losses.isEmpty
  }

  /// The list that the lines make; nil before the first snapshot. Throws where a line's hash is not that of the list.
  var list: FeedList? {
    get throws {
      var list: FeedList?
      for line in try lines {
        switch line.kind {
        case "snapshot":
          list = FeedList(
            epoch: line.epoch ?? "", seq: line.seq ?? 0, stateHash: line.stateHash ?? "", entries: line.entries ?? [])
        case "delta": list?.apply(upsert: line.upsert ?? [], remove: line.remove ?? [], seq: line.seq ?? 0)
        default: continue
        }
        list?.stateHash = line.stateHash ?? ""
        guard list?.seq == line.seq, list?.computedHash == line.stateHash else {
          throw Overdue(description: "the watcher's list at \(line.seq ?? 0) is not what its hash says")
        }
      }
      return list
    }
  }
}

extension Stage {
  /// A subscriber that has its first list.
  func watcher(of services: Services) async throws -> Watcher {
    let watcher = Watcher(program: try program(["watch", "--json", "--feed", try services.publish]))
    try watcher.program.start()
    try await eventually("the watcher has a list") { try watcher.list != nil }
    return watcher
  }
}
