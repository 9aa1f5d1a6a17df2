import Dispatch
import Foundation
import Synchronization
import Testing

/// A subscriber: `onthemap watch --json`, whose lines these tests apply to their own list.
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
  private let start = ContinuousClock.now
  private let ticker = Ticker.shared

  init(program: Program) { self.program = program }

  /// All complete lines so far.
  var lines: [Line] {
    get throws {
      let output = program.standardOutput
      let whole = output.hasSuffix("\n") ? output[...] : output[..<(output.lastIndex(of: "\n") ?? output.startIndex)]
      return try whole.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    }
  }

  /// Expects the subscriber to have lost the feed only by silence, and to have got a list after each loss. A subscriber
  /// finds the feed silent if the machine stalls for 3 s. Losses are therefore allowed if the machine has stalled and
  /// the elapsed time suffices for them.
  ///
  /// - Returns: True if the subscriber never lost the feed.
  func isUndisturbed() throws -> Bool {
    let turns = try lines.filter { ["snapshot", "resync"].contains($0.kind) }
    let losses = turns.filter { $0.kind == "resync" }
    #expect(losses.allSatisfy { $0.reason == "no frame from the feed" }, "\(losses)")
    #expect(turns.enumerated().allSatisfy { $1.kind == ($0 % 2 == 0 ? "snapshot" : "resync") }, "\(turns.map(\.kind))")
    let suffices = Duration.seconds(3) * losses.count <= ContinuousClock.now - start
    #expect(losses.isEmpty || suffices && ticker.wasLate(since: start), "\(losses)")
    return losses.isEmpty
  }

  /// The list that the lines build. Nil before the first snapshot. Throws if a line's hash differs from the list's.
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
          throw TimeoutError(description: "the watcher's list at \(line.seq ?? 0) does not match its hash")
        }
      }
      return list
    }
  }
}

/// A clock that ticks every 100 ms. A late tick means that the machine stalled.
private final class Ticker: Sendable {
  private struct Ticks {
    var last = ContinuousClock.now
    /// The time of the last late tick. Nil if none was late.
    var late: ContinuousClock.Instant?

    /// Returns true for a tick that is half a second late. A subscriber finds the feed silent if heartbeats are 2 s
    /// late, but several threads may share this delay.
    func isLate(_ now: ContinuousClock.Instant) -> Bool { now - last > .milliseconds(600) }
  }

  static let shared = Ticker()
  private let queue = DispatchQueue(label: "ticker")
  private let ticks = Mutex(Ticks())

  private init() { tick() }

  private func tick() {
    let now = ContinuousClock.now
    ticks.withLock { ticks in
      if ticks.isLate(now) { ticks.late = now }
      ticks.last = now
    }
    queue.asyncAfter(deadline: .now() + .milliseconds(100)) { [self] in tick() }
  }

  /// Returns true if a tick was late since a time, or is late now.
  func wasLate(since start: ContinuousClock.Instant) -> Bool {
    let ticks = ticks.withLock { $0 }
    return ticks.late.map { $0 >= start } ?? false || ticks.isLate(.now)
  }
}

extension SystemFixture {
  /// Starts a subscriber and waits for its first list.
  func watcher(of services: Services) async throws -> Watcher {
    let watcher = Watcher(program: try program(["watch", "--json", "--feed", try services.publish]))
    try watcher.program.start()
    try await eventually("the watcher has a list") { try watcher.list != nil }
    return watcher
  }
}
