import Foundation
import Testing

@Suite("The follower in Python, when it has lost the list")
struct FollowerPaceTests {
  private let follow = DeployFile("deploy/examples/python/follow.py")

  @Test(
    "It joins again at a random moment, later each time, under a new name, and tries feeds in their order",
    .enabled(
      if: Program.protoc != nil && Program.venvPython != nil,
      "protoc or .venv is missing: deploy/setup.sh test makes both"))
  func pace() throws {
    let protoc = try #require(Program.protoc)
    let python = try #require(Program.venvPython)
    func rule(_ file: DeployFile) throws -> [String] {
      try Deployment.withFolder { folder in
        try Data(file.text.utf8).write(to: folder.appending(path: "follow.py"))
        try Data(Self.script.utf8).write(to: folder.appending(path: "pace.py"))
        let proto = Deployment.root.appending(path: "proto").path
        let made = try protoc.run("-I", proto, "--python_out=\(folder.path)", "onthemap/feed/v1/feed.proto")
        guard made.status == 0 else { return [made.output] }
        let (status, output) = try python.run("pace.py", at: folder)
        return status == 0 && output == "whole\n" ? [] : [output]
      }
    }
    try enforce(
      [follow], to: rule,
      bad: [
        follow.with("random.uniform(0, self.pause)", replacedBy: "self.pause"),
        follow.with("min(2 * self.pause, PAUSE_MAX_S)", replacedBy: "self.pause"),
        follow.with("secrets.token_hex(16)", replacedBy: "0"),
        follow.with("now + max(self.pause or 0, SILENCE_S)", replacedBy: "now"),
        follow.with("self.stale, self.pause = True, frame.stale, None", replacedBy: "self.stale = True, frame.stale"),
        follow.with("ENDPOINT.fullmatch(each) and ", replacedBy: ""),
        follow.with("self.endpoints[1:1]", replacedBy: "self.endpoints[0:0]"),
        follow.with("[: self.endpoints_max - len(self.endpoints)]", replacedBy: ""),
      ])
  }

  private static let script = """
    import follow
    from onthemap.feed.v1 import feed_pb2


    def frames(**body):
        frame = feed_pb2.FeedFrame(magic=0x314D544F, major=1, epoch=bytes(16), **body)
        return [b"topic", frame.SerializeToString()]


    right = frames(snapshot=feed_pb2.Snapshot(state_hash=follow.state_hash([])))
    wrong = frames(snapshot=feed_pb2.Snapshot(state_hash=1))
    moments, joins = [[] for _ in range(9)], set()
    for _ in range(200):
        follower = follow.Follower(["tcp://a:1"], 0)
        for life in range(2):
            follower.receive(right, 1)
            now = 1
            for index, each in enumerate(moments[: 9 - 8 * life]):
                follower.receive(wrong, now)
                each.append(follower.due - now)
                join = follower.join
                now = follower.heard = follower.due
                follower.turn(now - 0.001)
                assert follower.join == join, "too early"
                follower.turn(now)
                assert follower.join not in joins and follower.join.startswith("otm.feed/1/main/j/"), follower.join
                joins.add(follower.join)
                assert abs(follower.due - now - max(3, min(0.5 * 2**index, 30))) < 0.001, "the next one"
    for index, each in enumerate(moments):
        most = min(0.5 * 2**index, 30)
        assert min(each) < 0.2 * most and 0.8 * most < max(each) <= most, (index, max(each))


    def bye(*alternates):
        return frames(bye=feed_pb2.Bye(alternates=alternates))


    follower = follow.Follower(["tcp://a:1", "tcp://b:1"], 0)
    follower.receive(bye("tcp://c:1", "ipc://x", "tcp://a:1", "tcp://d:1", "d"), 0)
    assert follower.endpoints == ["tcp://c:1", "tcp://d:1", "tcp://b:1", "tcp://a:1"], follower.endpoints
    assert follower.connection == 1
    follower.turn(3)
    assert follower.connection == 1
    follower.turn(3.1)
    assert follower.endpoint == "tcp://d:1" and follower.connection == 2
    for index in range(20):
        follower.receive(bye(*(f"tcp://h{index}:{port}" for port in range(9))), 4)
    assert len(follower.endpoints) == 10, follower.endpoints
    alone = follow.Follower(["tcp://a:1"], 0)
    alone.receive(bye(), 0)
    assert alone.connection == 0
    print("whole")
    """
}
