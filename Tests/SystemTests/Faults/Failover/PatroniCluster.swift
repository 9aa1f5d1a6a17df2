import Foundation
import Glibc
import PostgresServer
import Testing

/// Three hosts with Patroni and PostgreSQL, and one etcd, on loopback. All have their own folders.
///
/// All processes end with this object. Keep it alive until the test ends.
final class PatroniCluster: Sendable {
  /// A member of the cluster, as `patronictl list` shows it.
  struct Member: Decodable, Sendable {
    let name: String
    let role: String
    let state: String

    private enum CodingKeys: String, CodingKey {
      case name = "Member"
      case role = "Role"
      case state = "State"
    }
  }

  static let scope = "onthemap"
  static let isInstalled = [python, etcd].allSatisfy { FileManager.default.fileExists(atPath: $0.path) }

  private static let tools = PythonExample.root.appending(path: ".build/tools")
  /// The folder that has Patroni's package for Python.
  private static let python = tools.appending(path: "python")
  private static let etcd = tools.appending(path: "etcd")

  let etcd: Program
  let nodes: [PatroniNode]
  /// The name of an empty database.
  let database = "map"
  private let folder: URL
  private let guardian: FolderGuard

  /// Starts everything. One node is the primary on return, one is the synchronous standby server, and one is a standby
  /// server that follows.
  init() async throws {
    folder = try ServerOwner().makeFolder(in: FileManager.default.temporaryDirectory)
    guardian = try FolderGuard(folder)
    // The owner of the servers may be unable to read the folder of the program's sources.
    try FileManager.default.copyItem(at: Self.python, to: folder.appending(path: "python"))
    let (clients, peers) = ("127.0.0.1:\(try Port.free())", "http://127.0.0.1:\(try Port.free())")
    etcd = try SystemFixture.current.program(
      [
        "-C", folder.path, Self.etcd.path, "--name", "etcd", "--data-dir", "etcd", "--listen-client-urls",
        "http://\(clients)", "--advertise-client-urls", "http://\(clients)", "--listen-peer-urls", peers,
        "--initial-advertise-peer-urls", peers, "--initial-cluster", "etcd=\(peers)", "--logger", "zap", "--log-level",
        "warn",
      ], executable: URL(fileURLWithPath: "/usr/bin/env"))
    let folder = folder
    nodes = try ["a", "b", "c"].map { try PatroniNode($0, in: folder, etcd: clients) }
    try etcd.start()
    try nodes[0].start()
    try await eventually("Patroni has a primary") { try await primary() === nodes[0] }
    for node in nodes.dropFirst() { try node.start() }
    try await waitForStandby()
    try await waitForStandbys(2)
    try await blocking { [server = server, database] in
      _ = try server.sql("CREATE DATABASE \(database) ENCODING 'UTF8' TEMPLATE template0")
    }
  }

  /// The ports of all servers.
  var ports: [Int] { nodes.map(\.port) }

  /// The database that each server has from its start.
  private var server: FailoverDatabase { FailoverDatabase(ports: ports, name: "postgres") }

  /// Returns the node whose server accepts writes. Nil if there is none.
  func primary() async throws -> PatroniNode? {
    let port = try? await blocking { [server = server] in try server.sql("SHOW port") }
    return nodes.first { "\($0.port)" == port }
  }

  /// Waits until a node other than this one is the primary.
  func waitForPrimary(otherThan node: PatroniNode) async throws -> PatroniNode {
    try await eventually("Patroni has promoted another node than \(node.name)") {
      try await primary().flatMap { $0 === node ? nil : $0 }
    }
  }

  /// Waits until Patroni would promote a standby server, which has all confirmed commits.
  ///
  /// - Parameter node: The standby server. Nil for any.
  @discardableResult
  func waitForStandby(_ node: PatroniNode? = nil) async throws -> PatroniNode {
    try await eventually("\(node?.name ?? "a node") is the synchronous standby server") {
      let names = try await members().filter { $0.role == "Sync Standby" }.map(\.name)
      return nodes.first { names.contains($0.name) && ($0 === node || node == nil) }
    }
  }

  /// Waits until this number of standby servers receives the primary's log.
  func waitForStandbys(_ count: Int) async throws {
    try await eventually("\(count) standby servers receive the primary's log") {
      // pg_basebackup receives the log too, under its own name.
      let query = "SELECT application_name FROM pg_stat_replication WHERE state = 'streaming' AND flush_lsn IS NOT NULL"
      let names = try await blocking { [server = server] in (try? server.sql(query)) ?? "" }.split(separator: "\n")
      return nodes.count { names.contains($0.name[...]) } == count
    }
  }

  /// The members that etcd has. A killed node stays a member until its lease ends.
  func members() async throws -> [Member] {
    let output = try await control("list", "--format", "json").output
    return (try? JSONDecoder().decode([Member].self, from: Data(output.utf8))) ?? []
  }

  /// Runs patronictl. Returns its status and output.
  @discardableResult
  func control(_ arguments: String...) async throws -> (status: Int32, output: String) {
    let words =
      ["PYTHONPATH=\(folder.appending(path: "python").path)", "/usr/bin/python3", "-c"]
      + ["from patroni.ctl import ctl; ctl()", "-c", nodes[0].configuration.path] + arguments
    return try await blocking { try Fault.command(words) }
  }
}
