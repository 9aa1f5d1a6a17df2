import SwiftProtobuf
import Synchronization
import Testing

@testable import Conformance
@testable import Domain
@testable import Messaging

@Suite("The examiner of feeds")
struct FeedExaminerTests {
  private typealias Said = FeedExam.Said

  @Test("Replies that nobody can read are such, and those that count are not")
  func replies() throws {
    let list = FeedState.sample(1...3)
    let messages = Said.malformed(id: 5, list.epoch, .sample(4)).replies
    #expect(messages.count == 6)
    for frames in messages {
      #expect(FetchReply(frames) == nil && (frames.count != 1 || EntryFrame.changes(frames[0]) == nil))
    }
    let wrong = try #require(Said.wrongList(id: 5, list).replies.first.flatMap { FetchReply($0) })
    #expect(wrong.requestID == 5 && wrong.list.stateHash == list.hash ^ 1 && wrong.list.entries.count == 3)
    let right = try #require(Said.reply(id: 5, list.epoch, .snapshot(list)).replies.first.flatMap { FetchReply($0) })
    #expect(right.list.stateHash == list.hash)
    #expect(Said.terminate.replies.isEmpty)
  }

  @Test("What a feed must not say is told in words", arguments: 0..<5)
  func unreadable(number: Int) {
    func frame(_ change: (inout FetchRequest) -> Void) -> [[UInt8]] {
      var request = FetchRequest(id: 5, feed: "test", after: nil)
      change(&request)
      return [request.bytes]
    }
    let (frames, words): ([[UInt8]], String) = [
      (frame { $0.magic = 1 }, "magic 00000001, version 1.0"), (frame { $0.major = 2 }, "magic 314d544f, version 2.0"),
      ([[0xFF, 0xFF]], "a frame that is no FetchRequest"), (frame { _ in } + [[]], "a message of 2 frames"),
      ([], "a message of 0 frames"),
    ][number]
    guard case .badFetch(let why) = FeedExam.Utterance(fetch: frames[...], connection: 1) else {
      Issue.record("it was read")
      return
    }
    #expect(why == words)
  }

  @Test("It reads what a feed publishes and answers")
  func reads() {
    let list = FeedState.sample(1...3)
    let beat = EntryFrame.feed(.heartbeat(ringFrom: 1), list, instance: "", unixMs: 0)
    for (topic, subject): (String, FeedExam.Subject) in [
      (Topic.snapshot, .snapshot), (Topic.delta, .delta), (Topic.heartbeat, .heartbeat), (Topic.join("a"), .join("a")),
      (Topic.join("a-b"), .other("j/a-b/")),
    ] {
      guard case .told(2, let read, _) = FeedExam.Utterance(told: [Array(topic.utf8), beat], subscriber: 2) else {
        Issue.record("not read: \(topic)")
        continue
      }
      #expect(read == subject && subject.topic == topic)
    }
    for frames in [[beat], [[1], beat], [Array(Topic.delta.utf8), [1, 2]]] {
      guard case .badFrame = FeedExam.Utterance(told: frames, subscriber: 0) else {
        Issue.record("read: \(frames)")
        continue
      }
    }
    let bytes = EntryFrame.answer(.snapshot, list, isStale: false, id: 9)
    guard case .answer(9, .list(let told, let hash)) = FeedExam.Utterance(answer: [bytes]) else {
      Issue.record("the answer is not read")
      return
    }
    #expect(told == list && hash == list.hash)
  }

  @Test("Where no feed comes, the exam is over when the wait is")
  func nobody() async throws {
    let told = Mutex<ConformanceReport?>(nil)
    let endpoint = try Endpoint.anyPort()
    // Nobody listens there.
    let away = try Endpoint("tcp://127.0.0.1:1")
    let wake = Wake()
    let (reactor, bound) = try Reactor.start("conform", wake: wake) { context in
      let examiner = try FeedExaminer(
        context, bind: endpoint, feed: away, query: away, waitMs: 100, hasProcess: false, inbox: Inbox(wake),
        logger: quiet,
        listener: .init(came: { _ in }, terminate: {}, finished: { result in told.withLock { $0 = result } }))
      return ([examiner], examiner.endpoint)
    }
    defer { reactor.stop() }
    #expect(bound.port > 0)
    try await eventually("it is over") { told.withLock { $0 != nil } }
    #expect(told.withLock { $0?.findings.count } == FeedRule.allCases.count - 1)
  }
}
