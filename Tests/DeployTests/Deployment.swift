import Foundation
import Testing

/// A file of the repository, or a snippet that stands in for one.
struct DeployFile: Sendable {
  /// The path relative to the repository's root, such as "deploy/Dockerfile".
  let path: String
  let text: String

  init(_ path: String, _ text: String) {
    self.path = path
    self.text = text
  }

  /// Reads a file on disk. A missing file is empty, which every rule refuses.
  init(_ path: String) {
    self.init(path, (try? String(contentsOf: Deployment.root.appending(path: path), encoding: .utf8)) ?? "")
  }

  /// The text of all files of Limits, as one file.
  static let limits: DeployFile = {
    let path = "Sources/Domain/Limits"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: Deployment.root.appending(path: path).path)) ?? []
    return DeployFile(path, names.sorted().map { DeployFile("\(path)/\($0)").text }.joined(separator: "\n"))
  }()

  var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
  var name: String { path.split(separator: "/").last.map(String.init) ?? path }

  /// Returns the first group of every match, or the whole match if the pattern has no group.
  func matches(of pattern: String) -> [String] {
    guard let expression = try? NSRegularExpression(pattern: pattern, options: .anchorsMatchLines) else { return [] }
    return expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap { match in
      let range = match.numberOfRanges > 1 ? match.range(at: 1) : match.range
      return Range(range, in: text).map { String(text[$0]) }
    }
  }
}

extension DeployFile {
  /// The service that a unit runs: "ingest" of "onthemap-ingest.service".
  var role: String { name.prefix { $0 != "." && $0 != "@" }.split(separator: "-").last.map(String.init) ?? "" }
}

/// The files under `deploy/` on disk.
enum Deployment {
  /// The repository's root, three folders above this file.
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Every file under `deploy/` that git would track.
  static let files: [DeployFile] = {
    let folder = root.appending(path: "deploy").path
    let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return names.filter { !$0.contains("__pycache__") && !$0.contains(".venv") && !$0.hasSuffix("_pb2.py") }.sorted()
      .map { DeployFile("deploy/" + $0) }.filter { !$0.text.isEmpty }
  }()

  static let units = files.filter { $0.path.hasPrefix("deploy/systemd/") }
  /// The units of the roles, which run all the time.
  static let services = units.filter { $0.path.hasSuffix(".service") && !$0.lines.contains("Type=oneshot") }
  /// The units of tools, which timers start.
  static let tools = units.filter { $0.path.hasSuffix(".service") && $0.lines.contains("Type=oneshot") }

  /// Calls the body with a new folder, and removes the folder afterwards.
  static func withFolder<Value>(_ body: (URL) throws -> Value) throws -> Value {
    let folder = FileManager.default.temporaryDirectory.appending(path: "onthemap-deploy-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
  }
}

/// An installed program.
struct Program: Sendable {
  let path: String

  /// Finds a program on the PATH. Nil if it is missing.
  init?(_ name: String) {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
    let found = folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    guard let found else { return nil }
    path = found
  }

  /// Finds a program at a path of the repository. Nil if it is missing.
  init?(inRepository path: String) {
    let path = Deployment.root.appending(path: path).path
    guard FileManager.default.isExecutableFile(atPath: path) else { return nil }
    self.path = path
  }

  /// Creates the program at a path, without a check.
  init(_ file: URL) { path = file.path }

  static let systemdAnalyze = Program("systemd-analyze")
  static let protoc = Program("protoc")
  /// The promtool of Debian's package, which `deploy/setup.sh test` unpacks.
  static let promtool = Program(inRepository: ".build/tools/promtool")
  /// The nginx of Debian's package, which `deploy/setup.sh test` unpacks.
  static let nginx = Program(inRepository: ".build/tools/nginx")
  static let haproxy = Program("haproxy")
  static let caddy = Program("caddy")
  static let openssl = Program("openssl")
  static let kubectl = Program("kubectl").flatMap { (try? $0.run("kustomize", "--help").status) == 0 ? $0 : nil }
  static let python = Program("python3")
  static let node = Program("node")
  static let cCompiler = Program("cc") ?? Program("clang")
  /// The Python that `deploy/setup.sh test` sets up, with pyzmq and protobuf.
  static let venvPython = Program(inRepository: ".venv/bin/python")
  /// The debug build. Nil if it is not built.
  static let onthemap = Program(inRepository: ".build/debug/onthemap")
  static let docker = Program("docker").flatMap { (try? $0.run("compose", "version").status) == 0 ? $0 : nil }

  /// Runs the program to its end. Returns its exit status, and its standard output and error as one text.
  func run(_ arguments: String..., at folder: URL? = nil) throws -> (status: Int32, output: String) {
    try run(arguments, at: folder)
  }

  /// Runs the program to its end, with its arguments in an array.
  func run(_ arguments: [String], at folder: URL? = nil) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.currentDirectoryURL = folder
    let output = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }
}

/// Checks files against a rule, and the rule against its examples, so that a rule that finds nothing fails too.
///
/// - Parameters:
///   - rule: Function that returns a file's problems, in sentences.
///   - bad: Files that the rule must refuse.
func enforce(
  _ files: [DeployFile], to rule: (DeployFile) throws -> [String], bad: [DeployFile],
  sourceLocation: SourceLocation = #_sourceLocation
) rethrows {
  #expect(!files.isEmpty, "No file to check.", sourceLocation: sourceLocation)
  for example in bad where try rule(example).isEmpty {
    Issue.record("The rule overlooks:\n\(example.text)", sourceLocation: sourceLocation)
  }
  for file in files {
    #expect(!file.text.isEmpty, "\(file.path) is missing or empty.", sourceLocation: sourceLocation)
    for error in try rule(file) { Issue.record("\(file.path): \(error)", sourceLocation: sourceLocation) }
  }
}

extension DeployFile {
  /// Returns the file with a mistake in it. Records an issue if `old` is missing, because then the example tests
  /// nothing.
  func with(_ old: String, replacedBy new: String) -> DeployFile {
    if !text.contains(old) { Issue.record("\(path) has no \"\(old)\": the example tests nothing.") }
    return DeployFile(path, text.replacingOccurrences(of: old, with: new))
  }
}
