import Foundation
import Testing

@Suite("Setup")
struct SetupTests {
  /// A missing tool would disable the tests that use it, and the run would still end in green.
  @Test(
    "deploy/setup.sh test has installed every tool that a test needs",
    arguments: [
      "cc", "chromium-headless-shell", "curl", "faketime", "node", "protoc", "python3", "shellcheck", "strace",
      "systemd-analyze",
    ])
  func tool(name: String) {
    #expect(Program(name) != nil, "\(name) is missing: run deploy/setup.sh test.")
  }

  @Test(
    "deploy/setup.sh test has installed every tool with a version of its own",
    arguments: [
      ".build/tools/promtool", ".venv/bin/buf", ".venv/bin/hadolint", ".venv/bin/oxlint", ".venv/bin/pytest",
      ".venv/bin/ruff", ".venv/bin/schemathesis",
    ])
  func pinned(path: String) {
    #expect(Program(inRepository: path) != nil, "\(path) is missing: run deploy/setup.sh test.")
  }

  @Test("Both Pythons import the packages of the examples", arguments: ["/usr/bin/python3", ".venv/bin/python"])
  func packages(path: String) throws {
    let python = Program(URL(fileURLWithPath: path, relativeTo: Deployment.root))
    #expect(try python.run("-c", "import zmq, google.protobuf, sqlite3").status == 0)
  }

  @Test("Every Python package of the tests is locked with a hash, and the lock has the versions that are asked for")
  func locked() {
    let wanted = DeployFile("Tests/requirements.in").matches(of: "^([a-z][a-z0-9-]*==\\S+)$")
    #expect(wanted.count > 10)
    func rule(_ file: DeployFile) -> [String] {
      let pins = file.matches(of: #"^([a-z0-9][\w.-]*==[^\s;]+)"#)
      let hashed = file.matches(of: #"^([a-z0-9][\w.-]*==[^\s;]+)[^\n]*\\\n    --hash=sha256:[0-9a-f]{64}"#)
      return wanted.filter { !pins.contains($0) }.map { "\($0) is not locked: run make lock." }
        + Set(pins).subtracting(hashed).sorted().map { "\($0) has no hash: run make lock." }
    }
    let lock = DeployFile("Tests/requirements.txt")
    enforce(
      [lock], to: rule,
      bad: [lock.with("pytest==", replacedBy: "pytest==1"), DeployFile("a", "pyzmq==27.3.0"), DeployFile("a", "")])
  }
}
