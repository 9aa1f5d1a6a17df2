import SwiftProtobuf
import Testing

@testable import Conformance
@testable import Domain
@testable import Messaging

@Suite("Feed probe")
struct FeedProbeTests {
  private typealias Stimulus = FeedProbe.Stimulus

  @Test("Malformed replies do not decode, and other replies do")
  func replies() throws {
    let list = FeedState.sample(1...3)
    let messages = Stimulus.malformed(id: 5, list.epoch, .sample(4)).replies
    #expect(messages.count == 6)
    for frames in messages {
      #expect(FetchReply(frames) == nil && (frames.count != 1 || FeedCodec.changes(frames[0]) == nil))
    }
    let wrong = try #require(Stimulus.wrongList(id: 5, list).replies.first.flatMap { FetchReply($0) })
    #expect(wrong.requestID == 5 && wrong.snapshot.stateHash == list.hash ^ 1 && wrong.snapshot.entries.count == 3)
    let right = try #require(
      Stimulus.reply(id: 5, list.epoch, .snapshot(list)).replies.first.flatMap { FetchReply($0) })
    #expect(right.snapshot.stateHash == list.hash)
  }

  @Test("The probe reports a malformed fetch by its fault", arguments: 0..<5)
  func unreadable(number: Int) {
    func frame(_ change: (inout FetchRequest) -> Void) -> [[UInt8]] {
      var request = FetchRequest(id: 5, feed: "test", after: nil)
      change(&request)
      return [request.bytes]
    }
    let (frames, words): ([[UInt8]], String) = [
      (frame { $0.magic = 1 }, "magic 00000001, version 1.0"), (frame { $0.major = 2 }, "magic 314d544f, version 2.0"),
      ([[0xFF, 0xFF]], "a frame that is not a FetchRequest"), (frame { _ in } + [[]], "a message of 2 frames"),
      ([], "a message of 0 frames"),
    ][number]
    guard case .badFetch(let why) = FeedProbe.ReceivedMessage(fetch: frames, connection: 1) else {
      Issue.record("the fetch was decoded")
      return
    }
    #expect(why == words)
  }

  @Test("The probe decodes a feed's published frames and replies")
  func reads() {
    let list = FeedState.sample(1...3)
    let beat = FeedCodec.feed(.heartbeat(minAfterSeq: 1), list, instance: "", unixMs: 0)
    for (topic, subject): (String, FeedProbe.Subject) in [
      (Topic.snapshot, .snapshot), (Topic.delta, .delta), (Topic.heartbeat, .heartbeat), (Topic.join("a"), .join("a")),
      (Topic.join("a-b"), .other("j/a-b/")),
    ] {
      guard
        case .published(2, let read, _) = FeedProbe.ReceivedMessage(
          published: [Array(topic.utf8), beat], subscriber: 2)
      else {
        Issue.record("not decoded: \(topic)")
        continue
      }
      #expect(read == subject && subject.topic == topic)
    }
    for frames in [[beat], [[1], beat], [Array(Topic.delta.utf8), [1, 2]]] {
      guard case .badFrame = FeedProbe.ReceivedMessage(published: frames, subscriber: 0) else {
        Issue.record("decoded: \(frames)")
        continue
      }
    }
    let bytes = FeedCodec.queryReply(.snapshot, list, isStale: false, id: 9)
    guard case .reply(9, .snapshot(let received, let hash)) = FeedProbe.ReceivedMessage(reply: [bytes]) else {
      Issue.record("the reply is not decoded")
      return
    }
    #expect(received == list && hash == list.hash)
  }
}
