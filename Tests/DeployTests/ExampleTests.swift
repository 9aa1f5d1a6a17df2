import Foundation
import Testing

@Suite("Python examples")
struct ExampleTests {
  private static let folder = "deploy/examples/python/"
  private let subscriber = DeployFile(folder + "subscriber_level0.py")
  private let others = ["query.py", "subscriber.py"].map { DeployFile(folder + $0) }
  private let producer = DeployFile(folder + "producer.py")
  private let worker = DeployFile(folder + "worker.py")

  @Test("Every Python example compiles", .enabled(if: Program.python != nil, "python3 is not installed"))
  func compiles() throws {
    let python = try #require(Program.python)
    func rule(_ file: DeployFile) throws -> [String] {
      try Deployment.withFolder { folder in
        let path = folder.appending(path: "a.py").path
        try Data(file.text.utf8).write(to: URL(fileURLWithPath: path))
        let (status, output) = try python.run("-m", "py_compile", path)
        return status == 0 && !file.text.isEmpty ? [] : [output]
      }
    }
    try enforce(
      [subscriber, producer, worker] + others, to: rule,
      bad: [subscriber.with("while True:", replacedBy: "while True")])
  }

  @Test("The examples' packages have the versions that the tests use")
  func pins() {
    let tested = DeployFile("Tests/requirements.in")
    func rule(_ file: DeployFile) -> [String] {
      ["pyzmq", "protobuf"].compactMap { package in
        let version = tested.matches(of: "^\(package)==(.*)$").first ?? "nothing"
        return file.lines.contains("\(package)==\(version)") ? nil : "\(package)==\(version) is missing."
      }
    }
    enforce(
      [DeployFile(Self.folder + "requirements.txt")], to: rule,
      bad: [DeployFile("a", "pyzmq\nprotobuf"), DeployFile("a", "pyzmq==1.0.0\nprotobuf==1.0.0")])
  }

  @Test(
    "The Python subscriber of level 0 prints a published snapshot",
    .enabled(
      if: Program.protoc != nil && Program.venvPython != nil,
      "protoc or .venv is missing: deploy/setup.sh test makes both"))
  func prints() throws {
    let protoc = try #require(Program.protoc)
    let python = try #require(Program.venvPython)
    func rule(_ file: DeployFile) throws -> [String] {
      try Deployment.withFolder { folder in
        try Data(file.text.utf8).write(to: folder.appending(path: "subscriber_level0.py"))
        try Data(Self.feed.utf8).write(to: folder.appending(path: "feed.py"))
        let proto = Deployment.root.appending(path: "proto").path
        let result = try protoc.run("-I", proto, "--python_out=\(folder.path)", "onthemap/feed/v1/feed.proto")
        guard result.status == 0 else { return [result.output] }
        let (status, output) = try python.run("feed.py", at: folder)
        let line = "seq 1027: 2 posts, newest: Ana Mora, Costa Rica: https://example.org/ana\n"
        return status == 0 && output == line ? [] : ["it printed: \(output)"]
      }
    }
    try enforce(
      [subscriber], to: rule,
      bad: [subscriber.with("posts[0].last_name", replacedBy: "posts[1].last_name"), DeployFile("a", "import sys")])
  }

  @Test(
    "The Python producer resends unanswered and busy posts with the same keys",
    .enabled(
      if: Program.protoc != nil && Program.venvPython != nil,
      "protoc or .venv is missing: deploy/setup.sh test makes both"))
  func produces() throws {
    let protoc = try #require(Program.protoc)
    let python = try #require(Program.venvPython)
    func rule(_ file: DeployFile) throws -> [String] {
      try Deployment.withFolder { folder in
        // The protocol's timeout of 5 s is too long for a test.
        let quick = file.with("REPLY_TIMEOUT_S = 64, 5", replacedBy: "REPLY_TIMEOUT_S = 64, 0.2")
          .with("REPLY_TIMEOUT_S * 1_000", replacedBy: "200")
        try Data(quick.text.utf8).write(to: folder.appending(path: "producer.py"))
        try Data(Self.ingest.utf8).write(to: folder.appending(path: "ingest.py"))
        let proto = Deployment.root.appending(path: "proto/onthemap/submit/v1").path
        let result = try protoc.run("-I", proto, "--python_out=\(folder.path)", "submit.proto")
        guard result.status == 0 else { return [result.output] }
        let (status, output) = try python.run("ingest.py", at: folder)
        let lines = [
          "accepted 0000000001 Oslo", "refused invalid_link (link is no link) Lima", "replayed 0000000002 Rome",
          "4 frames, keys repeated",
        ]
        return status == 0 && output == lines.joined(separator: "\n") + "\n" ? [] : ["it printed: \(output)"]
      }
    }
    try enforce(
      [producer], to: rule,
      bad: [
        producer.with("idempotency_key=key", replacedBy: "idempotency_key=str(next(numbers))"),
        producer.with("busy.append(post)", replacedBy: "pass"),
      ])
  }

  /// A stub of ingest that starts the example. It ignores the first frame, and replies BUSY to the second. It sends a
  /// receipt for each post of the third frame, and accepts the busy post in the fourth.
  private static let ingest = """
    import pathlib
    import subprocess
    import sys

    import submit_pb2
    import zmq

    router = zmq.Context().socket(zmq.ROUTER)
    router.linger = 1_000
    port = router.bind_to_random_port("tcp://127.0.0.1")
    pathlib.Path("token").write_text("t" * 43 + "\\n")
    command = [sys.executable, "producer.py", "token", f"tcp://127.0.0.1:{port}"]
    producer = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    producer.stdin.write("Oslo\\texample.org/1\\nLima\\tno link\\n\\nRome\\texample.org/3\\n")
    producer.stdin.close()
    batches = []
    for number in range(1, 5):
        polls = 1_200
        while polls and not router.poll(100):
            polls = 0 if producer.poll() is not None else polls - 1
        if not polls:
            break
        peer, body = router.recv_multipart()
        request = submit_pb2.SubmitRequest.FromString(body)
        assert request.token == "t" * 43 and request.magic == 0x314D544F and request.major == 1
        batches.append([(post.idempotency_key, post.place, post.link) for post in request.batch.posts])
        reply = submit_pb2.SubmitReply(magic=0x314D544F, major=1, request_id=request.request_id)
        add = reply.receipts.receipts.add
        if number == 1:
            continue
        if number == 2:
            reply.error.code, reply.error.retry_after_ms = submit_pb2.ERROR_CODE_BUSY, 10
        elif number == 3:
            add(outcome=submit_pb2.OUTCOME_ACCEPTED, post_id="0000000001")
            add(outcome=submit_pb2.OUTCOME_REFUSED, code="invalid_link", detail="link is no link", field="link")
            add(outcome=submit_pb2.OUTCOME_BUSY, code="busy", detail="later", retry_after_ms=10)
        else:
            add(outcome=submit_pb2.OUTCOME_REPLAYED, post_id="0000000002")
        router.send_multipart([peer, reply.SerializeToString()])
    if len(batches) < 4:
        producer.kill()
    print(producer.stdout.read(), end="")
    same = batches[0] == batches[1] == batches[2] and batches[2][2:] == batches[3] and len(batches[0]) == 3
    print(f"{len(batches)} frames, keys {'repeated' if same else 'changed'}")
    """

  /// A stub feed with one snapshot. It starts the example and prints the example's first line.
  private static let feed = """
    import select
    import subprocess
    import sys

    import zmq
    from onthemap.feed.v1 import feed_pb2

    feed = zmq.Context().socket(zmq.XPUB)
    feed.linger = 1_000
    port = feed.bind_to_random_port("tcp://127.0.0.1")
    command = [sys.executable, "subscriber_level0.py", f"tcp://127.0.0.1:{port}"]
    subscriber = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for _ in range(1_200):
        if subscriber.poll() is not None or feed.poll(100):
            break
    if subscriber.poll() is None and feed.recv(zmq.NOBLOCK) == b"\\x01otm.feed/1/main/s/":
        frame = feed_pb2.FeedFrame(magic=0x314D544F, major=1, epoch=bytes(16), seq=1027)
        ana = frame.snapshot.entries.add(post_id="4D2qwHkYwD", seq=1027, first_name="Ana", last_name="Mora")
        ana.label, ana.link = "Costa Rica", "https://example.org/ana"
        frame.snapshot.entries.add(post_id="4D2qur2un2", seq=1026, last_name="Nobody")
        feed.send_multipart([b"otm.feed/1/main/s/", frame.SerializeToString()])
        if select.select([subscriber.stdout], [], [], 120)[0]:
            print(subscriber.stdout.readline(), end="")
    subscriber.kill()
    """
}
