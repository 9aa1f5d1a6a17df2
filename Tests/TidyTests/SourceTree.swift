import Foundation
import Testing

/// A file of the repository, or a snippet that stands in for one.
struct SourceFile: Sendable {
  /// Relative to the repository's root: "Sources/Messaging/Transport/Socket.swift".
  let path: String
  let text: String
  /// The text in the three views of `SwiftText`. Empty for files in other languages.
  let swift: SwiftText

  init(_ path: String, _ text: String) {
    self.path = path
    self.text = text
    self.swift = SwiftText(path.hasSuffix(".swift") ? text : "")
  }

  var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
  /// The file's name up to the first dot: "Job+Wire" of "Sources/Messaging/Job+Wire.swift".
  var stem: String { name.split(separator: ".").first.map(String.init) ?? name }
  var name: String { path.split(separator: "/").last.map(String.init) ?? path }
  /// The target: "Messaging" of "Sources/Messaging/Job+Wire.swift". Nil outside Sources.
  var target: String? { path.hasPrefix("Sources/") ? String(path.split(separator: "/")[1]) : nil }
  var isGenerated: Bool { path.contains("/Generated/") || path.hasSuffix(".pb.swift") }

  func isUnder(_ folders: String...) -> Bool { folders.contains { path.hasPrefix($0 + "/") } }
}

/// A broken rule: the place, and advice for the fix.
struct Violation: CustomStringConvertible {
  let path: String
  let line: Int
  let advice: String

  var description: String { line > 0 ? "\(path):\(line): \(advice)" : "\(path): \(advice)" }
}

/// The repository on disk, read once.
enum SourceTree {
  /// The repository's root: `ONTHEMAP_ROOT`, or else three folders above this file.
  static let root: URL =
    if let root = ProcessInfo.processInfo.environment["ONTHEMAP_ROOT"] {
      URL(fileURLWithPath: root, isDirectory: true)
    } else {
      URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    }

  /// Handwritten Swift without TidyTests, which quote the code that they refuse.
  static let swift = everySwift.filter { !$0.isGenerated && !$0.isUnder("Tests/TidyTests") }
  static let everySwift = texts.filter { $0.path.hasSuffix(".swift") }
  static let markdown = texts.filter { $0.path.hasSuffix(".md") }

  /// Every text file below one megabyte, in any language.
  static let texts: [SourceFile] = paths.compactMap { path in
    guard let data = try? Data(contentsOf: root.appendingPathComponent(path)), data.count < 1_000_000,
      let text = String(bytes: data, encoding: .utf8)
    else { return nil }
    return SourceFile(path, text)
  }

  /// The names at the top level: tracked by git, or without git every name that .gitignore does not list.
  static var topLevel: Set<String> {
    if let tracked = git("ls-files") {
      return Set(tracked.compactMap { $0.split(separator: "/").first.map(String.init) })
    }
    let ignored = texts.first { $0.path == ".gitignore" }?.lines ?? []
    let names = Set(ignored.map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "/ ")) })
    return Set(contents(root.path)).subtracting(names)
  }

  static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appendingPathComponent(path).standardized.path)
  }

  /// Paths of the files that git tracks or would add. Without git, all files outside hidden folders.
  static let paths: [String] =
    git("ls-files", "--cached", "--others", "--exclude-standard", "-z") ?? walk("").sorted()

  private static func walk(_ folder: String) -> [String] {
    contents(root.appendingPathComponent(folder).path).flatMap { name in
      let path = folder.isEmpty ? name : "\(folder)/\(name)"
      var isFolder: ObjCBool = false
      let found = FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path, isDirectory: &isFolder)
      guard found, isFolder.boolValue else { return [path] }
      return name.hasPrefix(".") && name != ".ci" ? [] : walk(path)
    }
  }

  private static func contents(_ folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }

  /// Returns git's output, split at line ends. Nil without git or without a repository, as in an unpacked archive.
  private static func git(_ arguments: String...) -> [String]? {
    guard FileManager.default.fileExists(atPath: root.appendingPathComponent(".git").path) else { return nil }
    let git = Process()
    git.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    git.arguments = ["git", "-c", "safe.directory=*", "-c", "core.quotePath=false", "-C", root.path] + arguments
    let output = Pipe()
    git.standardOutput = output
    git.standardError = FileHandle.nullDevice
    guard (try? git.run()) != nil else { return nil }
    let data = output.fileHandleForReading.readDataToEndOfFile()
    git.waitUntilExit()
    guard git.terminationStatus == 0 else { return nil }
    return String(decoding: data, as: UTF8.self).split { $0 == "\n" || $0 == "\0" }.map(String.init)
  }
}

/// Checks files against a rule, and the rule against its examples. A rule that finds nothing fails by its bad examples.
func enforce(
  _ files: [SourceFile], to rule: (SourceFile) -> [Violation], bad: [SourceFile], good: [SourceFile],
  sourceLocation: SourceLocation = #_sourceLocation
) {
  for example in bad where rule(example).isEmpty {
    Issue.record("The scanner overlooks:\n\(example.text)", sourceLocation: sourceLocation)
  }
  for example in good where !rule(example).isEmpty {
    Issue.record("The scanner refuses a good example:\n\(example.text)", sourceLocation: sourceLocation)
  }
  let violations = files.flatMap(rule)
  if !violations.isEmpty {
    Issue.record("\(violations.map(\.description).joined(separator: "\n"))", sourceLocation: sourceLocation)
  }
}
