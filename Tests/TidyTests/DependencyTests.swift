import Foundation
import Testing

@Suite("Dependencies")
struct DependencyTests {
  /// A line of deploy/packages.tsv.
  private struct Package: Hashable, CustomStringConvertible {
    let name: String
    let version: String
    let licence: String
    let source: String

    var description: String { "\(name) \(version) (\(licence)) from \(source)" }
  }

  /// The versions that SwiftPM resolved for this build.
  private struct Resolved: Decodable {
    struct Pin: Decodable {
      struct State: Decodable { let version: String }
      let identity: String
      let location: String
      let state: State
    }
    let pins: [Pin]
  }

  private static let listed = SourceTree.texts.first { $0.path == "deploy/packages.tsv" }?.lines.dropFirst()
    .filter { !$0.isEmpty }
    .map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
    .compactMap { $0.count == 4 ? Package(name: $0[0], version: $0[1], licence: $0[2], source: $0[3]) : nil }

  @Test("deploy/packages.tsv lists every resolved package with its version, licence and source")
  func list() throws {
    let data = try Data(contentsOf: SourceTree.root.appending(path: "Package.resolved"))
    let packages = try JSONDecoder().decode(Resolved.self, from: data).pins.map { pin in
      let source = pin.location.hasSuffix(".git") ? String(pin.location.dropLast(4)) : pin.location
      return Package(
        name: pin.identity, version: pin.state.version, licence: try licence(of: source), source: source)
    }
    let listed = try #require(Self.listed)
    #expect(packages.count > 20)
    for package in Set(packages).subtracting(listed) { Issue.record("deploy/packages.tsv lacks \(package).") }
    for package in Set(listed).subtracting(packages) {
      Issue.record("deploy/packages.tsv lists \(package), which SwiftPM has not resolved.")
    }
  }

  /// Returns the SPDX expression of a package's licence.
  private func licence(of source: String) throws -> String {
    let name = source.split(separator: "/").last.map(String.init) ?? source
    let folders = [".build", ".build/tsan", ".build/asan"].map {
      SourceTree.root.appending(path: "\($0)/checkouts/\(name)")
    }
    let files = folders.flatMap { [$0.appending(path: "LICENSE"), $0.appending(path: "LICENSE.txt")] }
    let file = try #require(
      files.first { FileManager.default.fileExists(atPath: $0.path) }, "\(name) has no licence in its checkout.")
    let text = try String(contentsOf: file, encoding: .utf8)
    if text.contains("Apache License") {
      return text.contains("Runtime Library Exception") ? "Apache-2.0 WITH Swift-exception" : "Apache-2.0"
    }
    return text.contains("Permission is hereby granted, free of charge") ? "MIT" : "unknown"
  }

  @Test("Package.swift names exact versions")
  func exact() throws {
    let manifest = try #require(SourceTree.texts.first { $0.path == "Package.swift" })
    let dependencies = manifest.lines.filter { $0.contains(".package(url:") }
    #expect(dependencies.count > 10)
    for dependency in dependencies where !dependency.contains("exact: \"") {
      Issue.record("Name an exact version; a range may resolve to another version tomorrow: \(dependency)")
    }
  }
}
