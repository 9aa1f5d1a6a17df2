import Testing

/// The allowed imports of each target. `*` matches any ending. A target stands above every module that it imports. The
/// three services never import each other. Only Messaging imports ZeroMQ, only SQLiteStore imports SQLite, and only PostgresStore
/// imports libpq.
private let ladder: [String: Set<String>] = [
  "Commands": service.union([
    "Domain", "CCurl", "CHost", "CRestart", "Conformance", "Gazetteer", "GazetteerBuild", "HTTPClient", "LoadTest",
    "Mail", "SignIn",
    "Messaging", "RemoteGeocoding", "Ingest", "Worker", "Feed", "ArgumentParser", "Configuration", "Metrics",
    "PostgresStore", "SQLiteStore", "SystemPackage", "Telemetry", "UnixSignals", "Web",
  ]),

  "Ingest": service.union([
    "Domain", "Mail", "SignIn", "Messaging", "Metrics", "Store", "Telemetry", "Web", "CArgon2", "CPage", "CSodium",
    "Hummingbird", "NIO*", "HTTPTypes",
  ]),
  "Worker": service.union(["Domain", "Gazetteer", "Messaging", "Metrics", "RemoteGeocoding", "Telemetry"]),
  "Feed": service.union(["Domain", "Messaging", "Metrics", "Telemetry", "Web", "Hummingbird", "NIO*", "HTTPTypes"]),

  "LoadTest": system.union(["Domain", "Gazetteer", "HTTPClient", "Messaging", "Histogram", "Logging", "NIO*"]),
  "Conformance": system.union(["Domain", "Messaging", "Logging"]),

  "Messaging": system.union(["Domain", "CZeroMQ", "SwiftProtobuf", "Logging", "Metrics", "Telemetry"]),
  "Mail": system.union(["CCurl", "Domain", "Logging", "Metrics", "Telemetry"]),
  "SignIn": system.union(["Domain", "CSodium", "HTTPClient"]),
  "RemoteGeocoding": system.union(["Domain", "HTTPClient", "Logging"]),
  "SQLiteStore": system.union(["CSQLite", "CSodium", "Domain", "GRDB*", "Logging", "Metrics", "Store", "Telemetry"]),
  "PostgresStore": system.union([
    "CPostgreSQL", "CSodium", "Domain", "Logging", "Metrics", "Store", "Telemetry",
  ]),
  "Web": service.union([
    "COpenAPI", "CSodium", "CZlib", "Domain", "Hummingbird*", "NIO*", "HTTPTypes", "Metrics", "Telemetry",
  ]),

  "Store": system.union(["Domain"]),

  "HTTPClient": system.union(["FoundationNetworking"]),

  "GazetteerBuild": pure.union(["Domain", "Gazetteer"]),
  "Gazetteer": pure.union(["Domain"]),
  "Telemetry": pure.union(["Metrics"]),
  "Domain": pure,
]

/// Libraries of the pure targets. None of them blocks or does network I/O.
private let pure: Set = [
  "Foundation", "FoundationEssentials", "Glibc", "Synchronization", "Collections", "DequeModule", "HeapModule",
  "OrderedCollections",
]
private let system = pure.union(["Dispatch"])
private let service = system.union(["ServiceLifecycle", "Logging"])

/// All modules of this repository, C modules included.
let ownModules = Set(ladder.keys).union([
  "CArgon2", "CCurl", "CEpollGuard", "CHost", "COpenAPI", "CPage", "CPostgreSQL", "CRestart", "CZeroMQ", "CSQLite",
  "CSodium", "CZlib",
])

private let importLine = Pattern(
  #"(?:^|;)[ \t]*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?"#
    + #"(?:@\w+(?:\([^)]*\))?\s+)*import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias|actor)\s+)?(\w+)"#)

private func imports(_ file: SourceFile) -> [(line: Int, text: String)] { importLine.matches(in: file.swift.code) }

@Suite("The import ladder")
struct ImportLadderTests {
  @Test("A target imports only modules below it")
  func targets() {
    func rule(_ file: SourceFile) -> [Violation] {
      guard let target = file.target else { return [] }
      guard let allowed = ladder[target] else {
        return [Violation(path: file.path, line: 1, advice: "the ladder has no Swift target \(target).")]
      }
      return imports(file).filter { found in
        !allowed.contains { $0.hasSuffix("*") ? found.text.hasPrefix($0.dropLast()) : found.text == $0 }
      }.map { found in
        let advice = "\(target) may not import \(found.text). Allowed are: \(allowed.sorted().joined(separator: ", "))."
        return Violation(path: file.path, line: found.line, advice: advice)
      }
    }
    let bad = [
      "import Ingest", "import GazetteerBuild", "package import GRDB", "@testable import SQLiteStore",
      "@preconcurrency internal import Hummingbird",
      "private import struct Feed.FeedService", "import Foundation; import SQLiteStore",
      "  @_spi(X) public import NIOCore",
      "@_exported\nimport Messaging", "#if canImport(CSodium)\n  import CSodium\n#endif",
    ]
    let good = [
      "package import Domain", "import Foundation\nimport Synchronization", "// import SQLiteStore",
      "let a = \"import GRDB\"",
    ]
    enforce(
      SourceTree.everySwift, to: rule,
      bad: bad.map { SourceFile("Sources/Gazetteer/A.swift", $0) } + [
        SourceFile("Sources/CZeroMQ/A.swift", ""), SourceFile("Sources/Common/A.swift", ""),
      ],
      good: good.map { SourceFile("Sources/Gazetteer/A.swift", $0) } + [
        SourceFile("Sources/Feed/A.swift", "import NIOCore"),
        SourceFile("Tests/GazetteerTests/A.swift", "import SQLiteStore"),
      ])
  }

  @Test("The import ladder has no cycle, and no service reaches another service")
  func noCycle() {
    func below(_ target: String, _ path: [String] = []) -> Set<String> {
      #expect(!path.contains(target), "\(path.joined(separator: " → ")) → \(target) is a cycle.")
      guard !path.contains(target) else { return [] }
      let own = (ladder[target] ?? []).intersection(ownModules)
      return own.reduce(into: own) { $0.formUnion(below($1, path + [target])) }
    }
    let services: Set = ["Ingest", "Worker", "Feed"]
    for target in ladder.keys {
      let reached = below(target).intersection(services)
      #expect(
        target == "Commands" || reached.isEmpty,
        "\(target) reaches \(reached): services communicate only through proto/.")
    }
  }

  @Test("The design article and its picture name every target")
  func documents() throws {
    for path in ["Sources/Domain/Domain.docc/Design.md", "Sources/Domain/Domain.docc/Ladder.svg"] {
      let text = try #require(SourceTree.texts.first { $0.path == path }).text
      for target in ladder.keys.sorted() {
        #expect(text.firstMatch(of: try Regex("\\b\(target)\\b")) != nil, "\(path) does not name \(target).")
      }
    }
  }

  @Test("SystemTests and TidyTests import no module of ours except CZeroMQ")
  func outsiders() {
    func rule(_ file: SourceFile) -> [Violation] {
      guard file.isUnder("Tests/SystemTests", "Tests/TidyTests") else { return [] }
      return imports(file).filter { ownModules.contains($0.text) && $0.text != "CZeroMQ" }.map { found in
        let advice = "connect to the built program's sockets instead of importing \(found.text)."
        return Violation(path: file.path, line: found.line, advice: advice)
      }
    }
    enforce(
      SourceTree.everySwift, to: rule,
      bad: [SourceFile("Tests/SystemTests/A.swift", "@testable import Ingest")],
      good: [
        SourceFile("Tests/SystemTests/A.swift", "import Foundation\nimport Testing"),
        SourceFile("Tests/IngestTests/A.swift", "@testable import Ingest"),
      ])
  }
}
