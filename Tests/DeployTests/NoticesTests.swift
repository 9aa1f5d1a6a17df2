import Foundation
import Testing

@Suite("Third-party licences")
struct NoticesTests {
  /// The folder of the package sources that a build fetches. Nil before the first build.
  private static let checkouts = [".build", ".build/tsan", ".build/asan"]
    .map { Deployment.root.appending(path: "\($0)/checkouts").path }
    .first { FileManager.default.fileExists(atPath: $0) }

  @Test(
    "The notices have the licence of every package and toolchain part, even with a swift shim",
    .enabled(if: NoticesTests.checkouts != nil, "the packages are not fetched: make build"))
  func notices() throws {
    let (shell, swift, checkouts) = try (
      #require(Program("sh")), #require(Program("swift")), #require(Self.checkouts)
    )
    let (status, text) = try Deployment.withFolder { folder in
      // This shim has no licence beside it, as with swiftly, mise and asdf.
      let shim = folder.appending(path: "swift")
      try Data("#!/bin/sh\nexec '\(swift.path)' \"$@\"\n".utf8).write(to: shim)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: shim.path)
      return try shell.run(
        "-c", #"PATH="$1:$PATH" exec deploy/notices.sh "$2""#, "sh", folder.path, checkouts, at: Deployment.root)
    }
    #expect(status == 0, "\(text.suffix(500))")
    let listed = DeployFile("deploy/packages.tsv").lines.dropFirst().filter { !$0.isEmpty }
      .map { $0.split(separator: "\t").prefix(2).joined(separator: " ") + " (" }
    #expect(listed.count > 20)
    let titles = Self.titles(of: text)
    for title in listed + [
      "llhttp, ", "Protocol Buffers' own messages, ", "Calendar of musl, ", "The Swift standard library, ", "ICU, ",
      "libjs-leaflet, ", "libjs-leaflet.markercluster, ", "Place data", "Map data",
    ] {
      #expect(titles.contains { $0.hasPrefix(title) }, "No section begins with \(title).")
    }
    #expect(titles.contains { $0.contains("the Blocks runtime") })
    for words in [
      "Copyright Fedor Indutny, 2018.", "Copyright 2008 Google Inc.", "Copyright © 2005-2020 Rich Felker, et al.",
      "## Runtime Library Exception to the Apache 2.0 License: ##", "UNICODE LICENSE V3\n",
      "Copyright 2006-2011, the V8 project authors.",
    ] {
      #expect(text.contains(words), "\(words) is missing.")
    }
  }

  /// Returns the title of each section: a line between two rules.
  private static func titles(of text: String) -> [Substring] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let rule = String(repeating: "=", count: 80)
    return lines.indices.dropFirst().dropLast().filter { lines[$0 - 1] == rule && lines[$0 + 1] == rule }
      .map { lines[$0] }
  }

  @Test("make release writes the licence file, and make run does not need it")
  func targets() {
    func rule(_ file: DeployFile) -> [String] {
      let notices = ".build/release/THIRD-PARTY-NOTICES.txt"
      let (run, release) = (file.matches(of: "^run:(.*)$").joined(), file.matches(of: "^release:(.*)$").joined())
      var errors = [String]()
      if run.isEmpty || run.contains(notices) || run.contains(" release") {
        errors.append("make run must not wait for files that only a package or an image needs.")
      }
      if !release.contains(notices) { errors.append("make release lacks the licences' file.") }
      return errors
    }
    let makefile = DeployFile("Makefile")
    enforce(
      [makefile], to: rule,
      bad: [
        makefile.with("run: .build/release/onthemap .build/release/gazetteer.otm", replacedBy: "run: release"),
        makefile.with("gazetteer.otm .build/release/THIRD-PARTY-NOTICES.txt", replacedBy: "gazetteer.otm"),
      ])
  }
}
