import Domain
import Foundation
import Messaging
import Testing

@testable import Commands

@Suite("The forms of watch")
struct WatchFormatTests {
  private let moment = RenderContext(unixMs: Posts.beginMs + 90_000, rows: 6, columns: 80)

  /// The number at the end of each line.
  private func times(_ text: String) -> [Int64] {
    text.split(separator: "\n").compactMap { Int64($0.prefix { $0 != "Z" }.suffix(3)) }
  }

  @Test("Lines: a list oldest first, then what is new, each post once")
  func lines() throws {
    var form = WatchLines(limit: .max)
    #expect(times(form.text(for: [.list(try Posts.list(1...3), isStale: false)], moment)) == [1, 2, 3])
    #expect(times(form.text(for: [.changes(try Posts.delta(4), try Posts.list(1...4))], moment)) == [4])
    let healed = form.text(for: [.desynced(.timedOut), .list(try Posts.list(2...6), isStale: false)], moment)
    #expect(times(healed) == [5, 6])
    #expect(form.drainRemarks() == ["lost: the feed is silent"])
  }

  @Test("Lines: what a list no longer holds is told as missed")
  func missed() throws {
    var form = WatchLines(limit: .max)
    _ = form.text(for: [.list(try Posts.list(1...3), isStale: false)], moment)
    let text = form.text(for: [.list(try Posts.list(201...300), isStale: false)], moment)
    #expect(times(text).count == 100)
    #expect(form.drainRemarks() == ["changes 4 to 200 came while nobody looked; they are not shown"])
  }

  @Test("Lines: another history is told anew")
  func anotherHistory() throws {
    var form = WatchLines(limit: .max)
    _ = form.text(for: [.list(try Posts.list(1...3), isStale: false)], moment)
    #expect(times(form.text(for: [.list(try Posts.list(1...2, epoch: 9), isStale: false)], moment)) == [1, 2])
  }

  @Test("Lines: a count ends within a list")
  func count() throws {
    var form = WatchLines(limit: 2)
    #expect(times(form.text(for: [.list(try Posts.list(1...3), isStale: false)], moment)) == [1, 2])
    #expect(form.isDone)
  }

  @Test("JSON: one object a line, with the list as the services write it")
  func json() throws {
    var form = WatchJSON(limit: .max)
    let list = try Posts.list(1...2)
    let text = form.text(
      for: [.list(list, isStale: false), .changes(try Posts.delta(3), try Posts.list(1...3)), .desynced(.timedOut)], moment)
    let objects = try text.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(objects.map { $0["kind"] as? String } == ["snapshot", "delta", "lost"])
    #expect(objects[0]["stateHash"] as? String == hexadecimal(list.hash, digits: 16))
    #expect((objects[0]["entries"] as? [Any])?.count == 2)
    #expect(objects[1]["seq"] as? Int == 3)
    #expect((objects[1]["upsert"] as? [Any])?.count == 1)
    #expect(objects[2]["reason"] as? String == "the feed is silent")
  }

  @Test("JSON: what a terminal would obey is escaped, not changed")
  func escapes() throws {
    var form = WatchJSON(limit: .max)
    let entry = try Posts.entry(1, firstName: "A\u{9B}2J\u{1B}\u{E0041}")
    let delta = FeedDelta(prevSeq: 0, seq: 1, upsert: [entry], remove: [])
    let text = form.text(for: [.changes(delta, try Posts.list(1...1))], moment)
    #expect(String(text.dropLast()).isSafeLine)
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    #expect((object?["upsert"] as? [[String: Any]])?.first?["firstName"] as? String == "A\u{9B}2J\u{1B}\u{E0041}")
  }

  @Test("Table: newest first, as many as fit, none wider than the window", arguments: [20, 40, 59, 80, 120, 300])
  func table(columns: Int) throws {
    var form = WatchTable(feed: "tcp://127.0.0.1:7710", limit: .max, isColoured: false)
    let moment = RenderContext(unixMs: Posts.beginMs + 90_000, rows: 6, columns: columns)
    _ = form.text(for: [.list(try Posts.list(1...100), isStale: false)], moment)
    let lines = form.lines(moment)
    #expect(lines.count == 6)
    #expect(lines.allSatisfy { WatchText($0).width == columns - 1 })
    #expect(lines[0].hasPrefix("live · 100 posts"))
    #expect(lines[2].hasPrefix("   1m  "))
  }

  @Test("Table: new rows stand out for a while, and the status says what is lost")
  func highlights() throws {
    var form = WatchTable(feed: "tcp://127.0.0.1:7710", limit: .max, isColoured: false)
    #expect(form.lines(moment)[0].hasPrefix("waiting for the feed at tcp://127.0.0.1:7710"))
    _ = form.text(for: [.list(try Posts.list(1...3), isStale: false)], moment)
    _ = form.text(for: [.changes(try Posts.delta(4), try Posts.list(1...4)), .desynced(.timedOut)], moment)
    #expect(form.lines(moment).dropFirst(2).map { $0.hasPrefix("+") } == [true, false, false, false])
    #expect(form.lines(moment)[0].hasPrefix("lost: the feed is silent · 4 posts · seq 4"))
    let later = RenderContext(unixMs: moment.unixMs + ToolLimits.highlightMs, rows: 6, columns: 80)
    _ = form.text(for: [], later)
    #expect(!form.lines(later).contains { $0.hasPrefix("+") })
  }

  @Test("A slow reader finds the newest list, and that it is lost")
  func mailbox() throws {
    let mailbox = FeedEventQueue()
    mailbox.enqueue(.list(try Posts.list(1...1), isStale: false))
    for seq in 2...UInt64(ToolLimits.pendingEventsMax) {
      mailbox.enqueue(.changes(try Posts.delta(seq), try Posts.list(1...seq)))
    }
    #expect(mailbox.drain().count == ToolLimits.pendingEventsMax)
    for seq in 1...UInt64(ToolLimits.pendingEventsMax) {
      mailbox.enqueue(.changes(try Posts.delta(seq), try Posts.list(1...seq)))
    }
    mailbox.enqueue(.desynced(.timedOut))
    let news = mailbox.drain()
    #expect(news.count == 2)
    #expect(news.first?.state == (try Posts.list(1...UInt64(ToolLimits.pendingEventsMax))))
    #expect(news.last?.state == nil)
  }
}
