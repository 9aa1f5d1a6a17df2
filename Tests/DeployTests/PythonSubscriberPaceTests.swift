import Foundation
import Testing

@Suite("Python subscriber after a desync")
struct PythonSubscriberPaceTests {
  private let example = DeployFile("deploy/examples/python/subscriber.py")

  @Test(
    "The Python subscriber rejoins with full jitter and a new name, and tries feeds in order",
    .enabled(
      if: Program.protoc != nil && Program.venvPython != nil,
      "protoc or .venv is missing: deploy/setup.sh test makes both"))
  func pace() throws {
    let protoc = try #require(Program.protoc)
    let python = try #require(Program.venvPython)
    func rule(_ file: DeployFile) throws -> [String] {
      try Deployment.withFolder { folder in
        try Data(file.text.utf8).write(to: folder.appending(path: "subscriber.py"))
        try Data(Self.script.utf8).write(to: folder.appending(path: "pace.py"))
        let proto = Deployment.root.appending(path: "proto").path
        let result = try protoc.run("-I", proto, "--python_out=\(folder.path)", "onthemap/feed/v1/feed.proto")
        guard result.status == 0 else { return [result.output] }
        let (status, output) = try python.run("pace.py", at: folder)
        return status == 0 && output == "whole\n" ? [] : [output]
      }
    }
    try enforce(
      [example], to: rule,
      bad: [
        example.with("random.uniform(0, self.pause)", replacedBy: "self.pause"),
        example.with("min(2 * self.pause, PAUSE_MAX_S)", replacedBy: "self.pause"),
        example.with("secrets.token_hex(16)", replacedBy: "0"),
        example.with("now + max(self.pause or 0, SILENCE_S)", replacedBy: "now"),
        example.with("self.stale, self.pause = True, frame.stale, None", replacedBy: "self.stale = True, frame.stale"),
        example.with("ENDPOINT.fullmatch(each) and ", replacedBy: ""),
        example.with("self.endpoints[1:1]", replacedBy: "self.endpoints[0:0]"),
        example.with("[: self.endpoints_max - len(self.endpoints)]", replacedBy: ""),
        example.with("self.join = None", replacedBy: "pass"),
        example.with("max(self.received_at, now)", replacedBy: "now"),
      ])
  }

  private static let script = """
    from subscriber import Subscriber, state_hash
    from onthemap.feed.v1 import feed_pb2


    def frames(**body):
        frame = feed_pb2.FeedFrame(magic=0x314D544F, major=1, epoch=bytes(16), **body)
        return [b"topic", frame.SerializeToString()]


    right = frames(snapshot=feed_pb2.Snapshot(state_hash=state_hash([])))
    wrong = frames(snapshot=feed_pb2.Snapshot(state_hash=1))
    moments, joins = [[] for _ in range(9)], set()
    for _ in range(200):
        subscriber = Subscriber(["tcp://a:1"], 0)
        for life in range(2):
            subscriber.receive(right, 1)
            now = 1
            for index, each in enumerate(moments[: 9 - 8 * life]):
                subscriber.receive(wrong, now)
                each.append(subscriber.due - now)
                join = subscriber.join
                now = subscriber.received_at = subscriber.due
                subscriber.tick(now - 0.001)
                assert subscriber.join == join, "too early"
                subscriber.tick(now)
                join = subscriber.join
                assert join not in joins and join.startswith("otm.feed/1/main/j/"), join
                joins.add(join)
                assert abs(subscriber.due - now - max(3, min(0.5 * 2**index, 30))) < 0.001, "wrong delay"
    for index, each in enumerate(moments):
        most = min(0.5 * 2**index, 30)
        assert min(each) < 0.2 * most and 0.8 * most < max(each) <= most, (index, max(each))


    def bye(*endpoints, retry_after_ms=0):
        return frames(bye=feed_pb2.Bye(failover_endpoints=endpoints, retry_after_ms=retry_after_ms))


    subscriber = Subscriber(["tcp://a:1", "tcp://b:1"], 0)
    subscriber.receive(bye("tcp://c:1", "ipc://x", "tcp://a:1", "tcp://d:1", "d"), 0)
    assert subscriber.endpoints == ["tcp://c:1", "tcp://d:1", "tcp://b:1", "tcp://a:1"], subscriber.endpoints
    assert subscriber.connection == 1
    subscriber.tick(3)
    assert subscriber.connection == 1
    subscriber.tick(3.1)
    assert subscriber.endpoint == "tcp://d:1" and subscriber.connection == 2
    for index in range(20):
        subscriber.receive(bye(*(f"tcp://h{index}:{port}" for port in range(9))), 4)
    assert len(subscriber.endpoints) == 10, subscriber.endpoints
    alone = Subscriber(["tcp://a:1"], 0)
    alone.receive(bye(), 0)
    assert alone.connection == 0
    alone.receive(bye(retry_after_ms=20_000), 1)
    assert alone.join is None, "the feed's return would be a join"
    alone.receive(frames(heartbeat=feed_pb2.Heartbeat()), 2)
    alone.tick(20.9)
    assert alone.connection == 0 and alone.join is None, "too early"
    alone.tick(21)
    assert alone.join is not None, "too late"
    print("whole")
    """
}
