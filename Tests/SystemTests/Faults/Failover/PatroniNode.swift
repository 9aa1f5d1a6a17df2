import Foundation
import PostgresServer

/// A host with Patroni, and with the PostgreSQL server that Patroni manages.
final class PatroniNode: Sendable {
  let name: String
  /// The port of PostgreSQL.
  let port: Int
  /// The configuration file of Patroni and patronictl.
  let configuration: URL
  private let folder: URL
  private let program: Program

  /// - Parameters:
  ///   - parent: The folder of the cluster, which has Patroni in `python`.
  ///   - etcd: The address of etcd.
  init(_ name: String, in parent: URL, etcd: String) throws {
    self.name = name
    let owner = try ServerOwner()
    folder = try owner.makeFolder(in: parent)
    configuration = folder.appending(path: "patroni.yml")
    port = Int(try Port.free())
    let programs = try PostgresServer.findPrograms()
    let text = Self.configuration(
      name: name, folder: folder.path, programs: programs.path, etcd: etcd, port: port, rest: Int(try Port.free()))
    try Data(text.utf8).write(to: configuration)
    program = try SystemFixture.current.program(
      ["-C", folder.path] + owner.command(["/usr/bin/python3", "-m", "patroni", configuration.path]),
      executable: URL(fileURLWithPath: "/usr/bin/env"),
      environment: ["PYTHONPATH": parent.appending(path: "python").path])
  }

  /// Starts Patroni, which starts PostgreSQL.
  func start() throws { try program.start() }

  /// Kills Patroni and PostgreSQL. Returns after the end of all their processes.
  func kill() async throws { try await FolderGuard.kill(in: folder) }

  /// Patroni's own settings are those of deploy/PostgreSQLFailover.md. `ttl` has the smallest value that Patroni takes,
  /// so a failover takes less time than by default. `loop_wait` and twice `retry_timeout` must fit in it.
  private static func configuration(
    name: String, folder: String, programs: String, etcd: String, port: Int, rest: Int
  ) -> String {
    """
    scope: \(PatroniCluster.scope)
    name: \(name)
    restapi: {listen: "127.0.0.1:\(rest)", connect_address: "127.0.0.1:\(rest)"}
    etcd3: {host: "\(etcd)"}
    watchdog: {mode: "off"}
    bootstrap:
      initdb: [{encoding: UTF8}, {locale: C}, {auth: trust}]
      dcs:
        ttl: 20
        loop_wait: 5
        retry_timeout: 5
        failsafe_mode: false
        synchronous_mode: true
        synchronous_mode_strict: true
        synchronous_node_count: 1
        primary_start_timeout: 0
        postgresql:
          parameters: {restart_after_crash: "off"}
    postgresql:
      listen: 127.0.0.1:\(port)
      connect_address: 127.0.0.1:\(port)
      data_dir: \(folder)/data
      bin_dir: \(programs)
      pgpass: \(folder)/pgpass
      authentication: {superuser: {username: onthemap}, replication: {username: replicator}}
      basebackup: [{checkpoint: fast}]
      parameters: {dynamic_shared_memory_type: mmap, shared_buffers: 16MB, unix_socket_directories: ""}

    """
  }
}
