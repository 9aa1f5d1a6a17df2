import Foundation
import Testing

@Suite("The Python example")
struct ExampleTests {
  private static let folder = "deploy/examples/python/"
  private let watch = DeployFile(folder + "watch.py")

  @Test("It compiles", .enabled(if: Program.python != nil, "python3 is not installed"))
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
    try hold([watch], to: rule, bad: [watch.with("while True:", replacedBy: "while True")])
  }

  @Test("Its packages have the versions of deploy/setup.sh")
  func pins() {
    let setup = DeployFile("deploy/setup.sh")
    func rule(_ file: DeployFile) -> [String] {
      ["pyzmq", "protobuf"].compactMap { package in
        let version = setup.matches(of: "^\(package)=(.*)$").first ?? "nothing"
        return file.lines.contains("\(package)==\(version)") ? nil : "\(package)==\(version) is missing."
      }
    }
    hold(
      [DeployFile(Self.folder + "requirements.txt")], to: rule,
      bad: [DeployFile("a", "pyzmq\nprotobuf"), DeployFile("a", "pyzmq==1.0.0\nprotobuf==1.0.0")])
  }

  @Test(
    "It prints a snapshot that a feed publishes",
    .enabled(
      if: Program.protoc != nil && Program.venvPython != nil,
      "protoc or .venv is missing: deploy/setup.sh test makes both"))
  func prints() throws {
    let protoc = try #require(Program.protoc)
    let python = try #require(Program.venvPython)
    func rule(_ file: DeployFile) throws -> [String] {
      try Deployment.withFolder { folder in
        try Data(file.text.utf8).write(to: folder.appending(path: "watch.py"))
        try Data(Self.feed.utf8).write(to: folder.appending(path: "feed.py"))
        let proto = Deployment.root.appending(path: "proto/onthemap/feed/v1").path
        let made = try protoc.run("-I", proto, "--python_out=\(folder.path)", "feed.proto")
        guard made.status == 0 else { return [made.output] }
        let (status, output) = try python.run("feed.py", at: folder)
        let line = "seq 1027: 2 posts, newest: Ana Mora, Costa Rica: https://example.org/ana\n"
        return status == 0 && output == line ? [] : ["it printed: \(output)"]
      }
    }
    try hold(
      [watch], to: rule,
      bad: [watch.with("posts[0].last_name", replacedBy: "posts[1].last_name"), DeployFile("a", "import sys")])
  }

  /// A feed of one snapshot, which starts the example and repeats the first line that it prints.
  private static let feed = """
    import select
    import subprocess
    import sys

    import feed_pb2
    import zmq

    feed = zmq.Context().socket(zmq.XPUB)
    feed.linger = 1_000
    port = feed.bind_to_random_port("tcp://127.0.0.1")
    command = [sys.executable, "watch.py", f"tcp://127.0.0.1:{port}"]
    watch = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for _ in range(200):
        if watch.poll() is not None or feed.poll(100):
            break
    if watch.poll() is None and feed.recv(zmq.NOBLOCK) == b"\\x01otm.feed/1/main/s/":
        frame = feed_pb2.FeedFrame(magic=0x314D544F, major=1, epoch=bytes(16), seq=1027)
        ana = frame.snapshot.entries.add(post_id="4D2qwHkYwD", seq=1027, first_name="Ana", last_name="Mora")
        ana.label, ana.link = "Costa Rica", "https://example.org/ana"
        frame.snapshot.entries.add(post_id="4D2qur2un2", seq=1026, last_name="Nobody")
        feed.send_multipart([b"otm.feed/1/main/s/", frame.SerializeToString()])
        if select.select([watch.stdout], [], [], 20)[0]:
            print(watch.stdout.readline(), end="")
    watch.kill()
    """
}
