import Foundation
import Testing

@Suite("Test setup")
struct SetupTests {
  /// Without a tool, the tests that need it are skipped, and a run of the other tests would pass.
  @Test(
    "Every tool that a test needs is installed by deploy/setup.sh test",
    arguments: [
      "cc", "chromium-headless-shell", "curl", "faketime", "firefox-esr", "node", "openssl", "protoc", "python3",
      "shellcheck", "strace", "systemd-analyze",
    ])
  func tool(name: String) {
    #expect(Program(name) != nil, "\(name) is missing: run deploy/setup.sh test.")
  }

  @Test("PostgreSQL's server is installed by deploy/setup.sh test, also outside of PATH")
  func postgres() {
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
    let isInstalled = versions.contains {
      FileManager.default.isExecutableFile(atPath: "/usr/lib/postgresql/\($0)/bin/initdb")
    }
    #expect(isInstalled || Program("initdb") != nil, "initdb is missing: run deploy/setup.sh test.")
  }

  @Test(
    "Every tool with a pinned version is installed by deploy/setup.sh test",
    arguments: [
      ".build/tools/nginx", ".build/tools/promtool", ".venv/bin/buf", ".venv/bin/hadolint", ".venv/bin/oxlint",
      ".venv/bin/pytest", ".venv/bin/ruff", ".venv/bin/schemathesis",
    ])
  func pinned(path: String) {
    #expect(Program(inRepository: path) != nil, "\(path) is missing: run deploy/setup.sh test.")
  }

  @Test(
    "The system's Python and .venv's Python import the packages of the examples",
    arguments: ["/usr/bin/python3", ".venv/bin/python"])
  func packages(path: String) throws {
    let python = Program(URL(fileURLWithPath: path, relativeTo: Deployment.root))
    #expect(try python.run("-c", "import zmq, google.protobuf, sqlite3").status == 0)
  }

  @Test("The lock file pins every requested Python package, with a hash")
  func locked() {
    let expected = DeployFile("Tests/requirements.in").matches(of: "^([a-z][a-z0-9-]*==\\S+)$")
    #expect(expected.count > 10)
    func rule(_ file: DeployFile) -> [String] {
      let pins = file.matches(of: #"^([a-z0-9][\w.-]*==[^\s;]+)"#)
      let hashed = file.matches(of: #"^([a-z0-9][\w.-]*==[^\s;]+)[^\n]*\\\n    --hash=sha256:[0-9a-f]{64}"#)
      return expected.filter { !pins.contains($0) }.map { "\($0) is not locked: run make lock." }
        + Set(pins).subtracting(hashed).sorted().map { "\($0) has no hash: run make lock." }
    }
    let lock = DeployFile("Tests/requirements.txt")
    enforce(
      [lock], to: rule,
      bad: [lock.with("pytest==", replacedBy: "pytest==1"), DeployFile("a", "pyzmq==27.3.0"), DeployFile("a", "")])
  }
}
