import SwiftProtobuf
import Testing

@testable import Conformance
@testable import Domain
@testable import Messaging

@Suite("Subscriber probe")
struct SubscriberProbeTests {
  private typealias Stimulus = SubscriberProbe.Stimulus

  private func stimulus(_ body: SubscriberProbe.Body, _ subject: SubscriberProbe.Subject = .heartbeat) -> Stimulus {
    Stimulus(feed: 0, subject: subject, body: body)
  }

  @Test("The probe's frames decode as intended, each on its topic")
  func frames() throws {
    let list = FeedState.sample(1...3)
    for (frame, subject, topic): (FeedReplica.Frame, SubscriberProbe.Subject, String) in [
      (.snapshot(list, hash: 7, isStale: true), .join("abc"), Topic.join("abc")),
      (
        .delta(FeedDelta(prevSeq: 2, seq: 3, upsert: [.sample(3)], remove: []), epoch: list.epoch, hash: 7),
        .delta, Topic.delta
      ),
      (.heartbeat(epoch: list.epoch, seq: 3, hash: 7, isStale: true), .heartbeat, Topic.heartbeat),
      (.bye(reason: "x", failoverEndpoints: ["tcp://other:7710"]), .heartbeat, Topic.heartbeat),
    ] {
      for form: SubscriberProbe.Form in [.plain, .unknownField, .laterMinor] {
        let message = try #require(stimulus(.frame(frame, form), subject).messages.first)
        #expect(message.count == 2 && message[0] == Array(topic.utf8))
        #expect(FeedFrame.read(message[1]) == frame)
        let wire = try FeedFrame(serializedBytes: message[1])
        #expect(wire.minor == (form == .laterMinor ? 1 : 0) && wire.unknownFields.data.isEmpty == (form == .plain))
      }
    }
    let later = try #require(stimulus(.unknownBody(list.epoch)).messages.first)
    #expect(FeedFrame.read(later[1]) == .unknown)
  }

  @Test("Malformed frames do not decode")
  func malformed() {
    let messages = stimulus(.malformed(after: .sample(1...3))).messages
    #expect(messages.count == 13)
    for frames in messages { #expect(frames.count != 2 || FeedFrame.read(frames[1]) == nil, "\(frames)") }
  }

  @Test("The probe decodes subscriptions and cancellations")
  func subscriptions() {
    func subscription(_ first: UInt8, _ topic: String) -> SubscriberProbe.ReceivedMessage? {
      .init([[first] + Array(topic.utf8)])
    }
    #expect(subscription(1, Topic.delta) == .subscribed(.delta))
    #expect(subscription(0, Topic.heartbeat) == .unsubscribed(.heartbeat))
    #expect(subscription(1, Topic.join("a-b")) == .subscribed(.join("a-b")))
    #expect(subscription(1, Topic.join("")) == .subscribed(.join("")))
    #expect(subscription(1, "otm.feed/1/main/j/abc") == .subscribed(.other("otm.feed/1/main/j/abc")))
    #expect(subscription(1, "") == .subscribed(.other("")))
    #expect(subscription(2, Topic.delta) == nil)
    #expect(SubscriberProbe.ReceivedMessage([]) == nil && SubscriberProbe.ReceivedMessage([[1], [1]]) == nil)
  }

  @Test(
    "The failover feed binds a free port of the same host",
    arguments: [
      ("tcp://127.0.0.1:7710", "tcp://127.0.0.1:*"), ("tcp://*:7710", "tcp://*:*"),
      ("ipc:///tmp/a", "ipc:///tmp/a.query"),
    ])
  func freePort(endpoint: String, wanted: String) throws {
    #expect(try Endpoint(endpoint).withFreePort.description == wanted)
  }
}
