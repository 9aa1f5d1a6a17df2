import Foundation
import Testing

/// The Python examples and their requirements.
enum PythonExample {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  static let python = PythonExample.root.appending(path: ".venv/bin/python")
  /// A program that runs a script with all signals unblocked. The threads of a test block most signals, and child
  /// processes inherit this mask.
  static let start = """
    import runpy, signal, sys
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    sys.argv.pop(0)
    runpy.run_path(sys.argv[0], run_name="__main__")
    """
  static let isReady =
    FileManager.default.isExecutableFile(atPath: python.path)
    && (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .contains { FileManager.default.isExecutableFile(atPath: "\($0)/protoc") }
}

/// The worker example deploy/examples/python/worker.py. It knows one place that no gazetteer has, "Avalon Isle".
struct PythonWorker {
  private let script: String
  private let places: String
  let environment: [String: String]

  /// - Parameters:
  ///   - line: Text to replace in the script.
  ///   - instead: The replacement.
  static func made(
    in fixture: SystemFixture, replacing line: String = "", with instead: String = ""
  ) async throws -> PythonWorker {
    let proto = PythonExample.root.appending(path: "proto/onthemap/jobs/v1").path
    let protoc = try fixture.program(
      ["protoc", "-I", proto, "--python_out=\(fixture.folder.path)", "jobs.proto"],
      executable: URL(fileURLWithPath: "/usr/bin/env"))
    try protoc.start()
    #expect(try await protoc.exit() == 0, "\(protoc.standardError)")
    try Data("Avalon Isle\t51.147\t-2.718\tAvalon, Somerset, England\tGB\n".utf8)
      .write(to: fixture.folder.appending(path: "places.tsv"))
    let original = try String(
      contentsOf: PythonExample.root.appending(path: "deploy/examples/python/worker.py"), encoding: .utf8)
    if !line.isEmpty { #expect(original.contains(line)) }
    let text = line.isEmpty ? original : original.replacingOccurrences(of: line, with: instead)
    try Data(text.utf8).write(to: fixture.folder.appending(path: "worker.py"))
    return PythonWorker(
      script: fixture.path("worker.py"), places: fixture.path("places.tsv"),
      environment: ["PYTHONPATH": fixture.folder.path, "PYTHONDONTWRITEBYTECODE": "1"])
  }

  /// Returns the program and its arguments.
  func command(endpoint: String) -> [String] {
    [PythonExample.python.path, "-c", PythonExample.start, script, places, endpoint]
  }
}
