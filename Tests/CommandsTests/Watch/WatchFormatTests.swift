import Domain
import Foundation
import Messaging
import Testing

@testable import Commands

@Suite("Output formats of watch")
struct WatchFormatTests {
  private let moment = RenderContext(unixMs: Posts.beginMs + 90_000, rows: 6, columns: 80)

  /// Returns the milliseconds of each line's time, which are the posts' numbers.
  private func times(_ text: String) -> [Int64] {
    text.split(separator: "\n").compactMap { Int64($0.prefix { $0 != "Z" }.suffix(3)) }
  }

  @Test("Lines: each post is shown once, oldest first, also after a resync")
  func lines() throws {
    var format = WatchLines(limit: .max)
    #expect(times(format.text(for: [.list(try Posts.list(1...3), isStale: false)], moment)) == [1, 2, 3])
    #expect(times(format.text(for: [.changes(try Posts.delta(4), try Posts.list(1...4))], moment)) == [4])
    let healed = format.text(for: [.desynced(.timedOut), .list(try Posts.list(2...6), isStale: false)], moment)
    #expect(times(healed) == [5, 6])
    #expect(format.drainRemarks() == ["reconnecting: no frame from the feed"])
  }

  @Test("Lines: changes that the list no longer holds are reported as missed")
  func missed() throws {
    var format = WatchLines(limit: .max)
    _ = format.text(for: [.list(try Posts.list(1...3), isStale: false)], moment)
    let text = format.text(for: [.list(try Posts.list(201...300), isStale: false)], moment)
    #expect(times(text).count == 100)
    #expect(format.drainRemarks() == ["changes 4 to 200 were missed and are not shown"])
  }

  @Test("Lines: a list of another epoch is shown in full")
  func anotherHistory() throws {
    var format = WatchLines(limit: .max)
    _ = format.text(for: [.list(try Posts.list(1...3), isStale: false)], moment)
    #expect(times(format.text(for: [.list(try Posts.list(1...2, epoch: 9), isStale: false)], moment)) == [1, 2])
  }

  @Test("Lines: output stops at the limit, even within a list")
  func count() throws {
    var format = WatchLines(limit: 2)
    #expect(times(format.text(for: [.list(try Posts.list(1...3), isStale: false)], moment)) == [1, 2])
    #expect(format.isDone)
  }

  @Test("JSON: each event is one object on one line, with the list's hash and entries")
  func json() throws {
    var format = WatchJSON(limit: .max)
    let list = try Posts.list(1...2)
    let text = format.text(
      for: [.list(list, isStale: false), .changes(try Posts.delta(3), try Posts.list(1...3)), .desynced(.timedOut)],
      moment)
    let objects = try text.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(objects.map { $0["kind"] as? String } == ["snapshot", "delta", "resync"])
    #expect(objects[0]["stateHash"] as? String == hexadecimal(list.hash, digits: 16))
    #expect((objects[0]["entries"] as? [Any])?.count == 2)
    #expect(objects[1]["seq"] as? Int == 3)
    #expect((objects[1]["upsert"] as? [Any])?.count == 1)
    #expect(objects[2]["reason"] as? String == "no frame from the feed")
  }

  @Test("JSON: control characters are escaped, and decode to the same text")
  func escapes() throws {
    var format = WatchJSON(limit: .max)
    let entry = try Posts.entry(1, firstName: "A\u{9B}2J\u{1B}\u{E0041}")
    let delta = FeedDelta(prevSeq: 0, seq: 1, upsert: [entry], remove: [])
    let text = format.text(for: [.changes(delta, try Posts.list(1...1))], moment)
    #expect(String(text.dropLast()).isSafeLine)
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    #expect((object?["upsert"] as? [[String: Any]])?.first?["firstName"] as? String == "A\u{9B}2J\u{1B}\u{E0041}")
  }

  @Test("Table: the newest posts fill the window and fit its width", arguments: [20, 40, 59, 80, 120, 300])
  func table(columns: Int) throws {
    var format = WatchTable(feed: "tcp://127.0.0.1:7710", limit: .max, isColoured: false)
    let moment = RenderContext(unixMs: Posts.beginMs + 90_000, rows: 6, columns: columns)
    _ = format.text(for: [.list(try Posts.list(1...100), isStale: false)], moment)
    let lines = format.lines(moment)
    #expect(lines.count == 6)
    #expect(lines.allSatisfy { WatchText($0).width == columns - 1 })
    #expect(lines[0].hasPrefix("live · 100 posts"))
    #expect(lines[2].hasPrefix("   1m  "))
  }

  @Test("Table: new rows are highlighted for five seconds, and the status shows a lost feed")
  func highlights() throws {
    var format = WatchTable(feed: "tcp://127.0.0.1:7710", limit: .max, isColoured: false)
    #expect(format.lines(moment)[0].hasPrefix("waiting for the feed at tcp://127.0.0.1:7710"))
    _ = format.text(for: [.list(try Posts.list(1...3), isStale: false)], moment)
    _ = format.text(for: [.changes(try Posts.delta(4), try Posts.list(1...4)), .desynced(.timedOut)], moment)
    #expect(format.lines(moment).dropFirst(2).map { $0.hasPrefix("+") } == [true, false, false, false])
    #expect(format.lines(moment)[0].hasPrefix("reconnecting: no frame from the feed · 4 posts · seq 4"))
    let later = RenderContext(unixMs: moment.unixMs + ToolLimits.highlightMs, rows: 6, columns: 80)
    _ = format.text(for: [], later)
    #expect(!format.lines(later).contains { $0.hasPrefix("+") })
  }

  @Test("A slow display gets the newest list and a later desync, instead of all events")
  func slowReader() throws {
    let queue = FeedEventQueue()
    queue.enqueue(.list(try Posts.list(1...1), isStale: false))
    for seq in 2...UInt64(ToolLimits.pendingEventsMax) {
      queue.enqueue(.changes(try Posts.delta(seq), try Posts.list(1...seq)))
    }
    #expect(queue.drain().count == ToolLimits.pendingEventsMax)
    for seq in 1...UInt64(ToolLimits.pendingEventsMax) {
      queue.enqueue(.changes(try Posts.delta(seq), try Posts.list(1...seq)))
    }
    queue.enqueue(.desynced(.timedOut))
    let events = queue.drain()
    #expect(events.count == 2)
    #expect(events.first?.state == (try Posts.list(1...UInt64(ToolLimits.pendingEventsMax))))
    #expect(events.last?.state == nil)
  }
}
