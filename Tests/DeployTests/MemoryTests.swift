import Foundation
import Testing

/// The memory limits of the services. A service within its own limits must not be killed.
@Suite("Memory limits of the services")
struct MemoryTests {
  private static let limits = DeployFile.limits
  /// The same text with each comment on one line.
  private static let reasons = DeployFile(limits.path, limits.text.replacing(#/\n +/// /#, with: " "))
  private static let store = DeployFile("Sources/SQLiteStore/Engine/SQLiteDatabase.swift")
  private static let scans = DeployFile("Sources/SQLiteStore/Search/ScanExecutor.swift")

  /// Returns the only number that a pattern finds.
  private static func number(_ pattern: String, in file: DeployFile) throws -> Int {
    let found = file.matches(of: pattern).map { $0.filter { $0 != "_" } }
    return try #require(found.count == 1 ? Int(found[0]) : nil, "\(file.path): \(pattern) finds \(found)")
  }

  /// The number of ingest's connections to its database: the readers of its pools, and one more for each pool or queue.
  private static func connections() throws -> Int {
    let opened = [store, scans].map { $0.matches(of: #"= try Database(?:Pool|Queue)\("#).count }
    let readers = try number(#"let databaseReadersMax = (\d+)$"#, in: limits)
    return try readers + number(#"let concurrentScansMax = (\d+)$"#, in: limits) + opened.reduce(0, +)
  }

  /// The page cache of one connection, in bytes.
  private static func cacheBytes() throws -> Int {
    try number(#"let databaseCacheKiB = ([\d_]+)$"#, in: limits) << 10
  }

  /// The memory that each role may use, in bytes, from the limits and the figures in their comments.
  private static func needs() throws -> [String: Int] {
    let connections =
      try number(#"let httpConnectionsMax = ([\d_]+)$"#, in: limits)
      * number(#"(\d+) KB with the longest headers and body"#, in: reasons) * 1_000
    let http = try connections + number(#"let httpUnreadBytesMax = ([\d_]+)$"#, in: limits)
    let queue = try number(#"(\d+) MB with the longest places and links"#, in: reasons) * 1_000_000
    let changes = try number(#"(\d+) MB with the longest texts"#, in: reasons) * 1_000_000
    // Count each hash twice: a hash that gets no core is started a second time.
    let hashes =
      try 2 * number(#"let concurrentPasswordHashesMax = (\d+)$"#, in: limits)
      * number(#"Each hash takes (\d+) MiB"#, in: reasons) << 20
    let caches = try Self.connections() * cacheBytes()
    let requests = try number(#"(\d+) MB if all have the largest size"#, in: reasons) * 1_000_000
    let unread =
      try number(#"let feedUnreadBytesMax = ([\d_]+)$"#, in: limits)
      + number(#"let feedReplyBytesUnreadMax = ([\d_]+)$"#, in: limits)
    let heldPosts = try number(#"(\d+) MB if all have the longest place and link"#, in: reasons) * 1_000_000
    // The bodies of gateways' requests exist twice: with their requests, and in frames on their way.
    let bodies = try 2 * number(#"let gatewayBytesMax = ([\d_]+)$"#, in: limits)
    let replies = try number(#"let gatewayUnreadBytesMax = ([\d_]+)$"#, in: limits)
    return [
      "ingest": http + queue + changes + hashes + caches + requests + bodies + replies, "feed": http + unread,
      "gateway": http + heldPosts + bodies + hashes, "worker": 0,
    ]
  }

  @Test("The systemd units allow each service the sum of its limits")
  func units() throws {
    let needs = try Self.needs()
    func rule(_ file: DeployFile) -> [String] {
      Self.errors(file.matches(of: #"^MemoryMax=([\d.]+)G$"#).last, role: file.role, needs)
    }
    let ingest = DeployFile("deploy/systemd/onthemap-ingest.service")
    let feed = DeployFile("deploy/systemd/onthemap-feed.service")
    let gateway = DeployFile("deploy/systemd/onthemap-gateway@.service")
    enforce(
      Deployment.services, to: rule,
      bad: [
        ingest.with("MemoryMax=2.5G", replacedBy: "MemoryMax=2G"),
        feed.with("MemoryMax=2G", replacedBy: "MemoryMax=1G"),
        ingest.with("MemoryMax=2.5G", replacedBy: ""), gateway.with("MemoryMax=2G", replacedBy: "MemoryMax=0G"),
      ])
  }

  @Test("The documented sums of ingest's memory count every SQLite cache")
  func caches() throws {
    let (count, bytes) = (try Self.connections(), try Self.cacheBytes())
    let expected = "\(count) SQLite caches of \(bytes >> 20) MiB (\((count * bytes + 500_000) / 1_000_000) MB)"
    func rule(_ file: DeployFile) -> [String] { file.text.contains(expected) ? [] : ["It does not say: \(expected)"] }
    let files = ["deploy/systemd/onthemap-ingest.service", "deploy/compose.yaml"].map { DeployFile($0) }
    enforce(files, to: rule, bad: files.map { $0.with("9 SQLite caches", replacedBy: "5 SQLite caches") })
  }

  @Test("Compose allows each service the sum of its limits")
  func compose() throws {
    let needs = try Self.needs()
    func rule(_ file: DeployFile) -> [String] {
      let parts = file.text.components(separatedBy: "\nservices:\n")
      let shared = DeployFile(file.path, parts[0]).matches(of: #"^  mem_limit: ([\d.]+)g$"#).last
      return needs.keys.sorted().flatMap { role in
        let body = (parts.last ?? "").components(separatedBy: "  \(role):\n").last ?? ""
        let section = DeployFile(file.path, body.components(separatedBy: "\n\n")[0])
        let own = section.matches(of: #"^    mem_limit: ([\d.]+)g$"#).last
        return Self.errors(own ?? shared, role: role, needs)
      }
    }
    let file = DeployFile("deploy/compose.yaml")
    enforce(
      [file], to: rule,
      bad: [
        file.with("mem_limit: 2g", replacedBy: "mem_limit: 1g"), file.with("mem_limit: 2g", replacedBy: ""),
        file.with("mem_limit: 2.5g", replacedBy: "mem_limit: 2g"),
        file.with("command: [feed]", replacedBy: "command: [feed]\n    mem_limit: 1g"),
      ])
  }

  private static func errors(_ gibibytes: String?, role: String, _ needs: [String: Int]) -> [String] {
    guard let limit = gibibytes.flatMap({ Double($0) }) else { return ["\(role) has no limit in GiB."] }
    let needed = needs[role] ?? .max
    guard limit * 1_073_741_824 < Double(needed) else { return [] }
    return ["\(role) may use \(needed) bytes, but its limit is \(limit) GiB."]
  }
}
