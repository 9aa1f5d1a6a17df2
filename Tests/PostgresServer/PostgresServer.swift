package import Foundation
import Glibc
import Synchronization

/// A PostgreSQL server for tests, in a temporary folder, on a free port of 127.0.0.1.
///
/// The server stops and the folder goes when the last reference goes, or when the test process ends in any way. All
/// calls block their thread. Every local user can connect as the superuser `onthemap` without a password.
package final class PostgresServer: Sendable {
  /// The server's name as a standby, in `application_name` and `synchronous_standby_names`.
  package let name: String
  package let port: Int
  /// The folder of the socket and the log. `data` in it has the databases.
  package let folder: URL
  let programs: URL
  let owner: ServerOwner
  let process: ServerProcess
  let databases = Mutex(Databases())

  private static let first = Result { try PostgresServer() }

  /// The server that all tests of this process share. Starts it at first use, and throws the same error every time.
  package static func shared() throws -> PostgresServer { try first.get() }

  /// Starts a server in a new folder, and waits until it accepts connections.
  ///
  /// - Parameters:
  ///   - name: The server's name as a standby. A primary needs a name if it is to become a standby later.
  ///   - settings: Lines of postgresql.conf, which take precedence over the settings for tests.
  package convenience init(name: String = "a", settings: [String: String] = [:]) throws {
    let settings = Self.defaults.merging(settings) { $1 }
    try self.init(name: name, settings: settings, keepsFiles: settings["fsync"] == "on") { programs, data in
      [
        programs.appending(path: "initdb").path, "-D", data.path, "-A", "trust", "-E", "UTF8", "--locale=C",
        "--no-sync", "--no-instructions", "-U", "onthemap",
      ]
    }
  }

  /// Starts a server with the data that a program makes.
  ///
  /// - Parameters:
  ///   - settings: Lines to append to the postgresql.conf that the program has made.
  ///   - keepsFiles: True for a server with fsync, whose files must be on a disk.
  ///   - words: Returns the words that start the program. It creates the folder `data`.
  init(
    name: String, settings: [String: String], keepsFiles: Bool, words: (_ programs: URL, _ data: URL) -> [String]
  ) throws {
    self.name = name
    programs = try Self.findPrograms()
    owner = try ServerOwner()
    let folder = try owner.makeFolder(in: Self.parent(keepsFiles: keepsFiles))
    let data = folder.appending(path: "data")
    self.folder = folder
    do {
      process = try ServerProcess(
        folder: folder, command: owner.command([programs.appending(path: "postgres").path, "-D", data.path]))
    } catch {
      try? FileManager.default.removeItem(at: folder)
      throw error
    }
    _ = try run(owner.command(words(programs, data)))
    try Self.write(settings, to: folder)
    port = try Self.start(process, in: folder)
  }

  /// Starts the server again in the same folder and on the same port, after `stop()` or `kill()`.
  package func start() throws { try process.start() }

  /// Ends all sessions, and shuts the server down with a checkpoint.
  package func stop() { process.stop() }

  /// Kills all processes of the server. Committed transactions are in the log, which the kernel still has.
  package func kill() { process.kill() }

  /// Freezes all processes of the server, like a host that hangs. The kernel still accepts connections.
  package func pause() { process.pause() }

  package func resume() { process.resume() }

  package func url(_ database: String) -> String { "postgresql://onthemap@127.0.0.1:\(port)/\(database)" }

  private static let defaults = [
    // The files of this type are in the server's folder. A killed server would leave the other type in /dev/shm.
    "dynamic_shared_memory_type": "mmap",
    "autovacuum": "on", "fsync": "off", "listen_addresses": "127.0.0.1", "max_connections": "300",
    // 200 new databases write 1.4 GB of log, which may be in memory.
    "max_wal_size": "256MB", "restart_after_crash": "off", "shared_buffers": "64MB",
  ]

  /// Starts the server on a free port, and returns the port.
  ///
  /// Another program may take the port before the server does. The server then ends, and gets another port.
  private static func start(_ process: ServerProcess, in folder: URL) throws -> Int {
    var attempts = 1
    while true {
      let port = try freePort()
      try write(addresses(port: port, in: folder), to: folder)
      do {
        try process.start()
        return port
      } catch let error as PostgresServerError {
        guard attempts < 5, error.description.contains("could not bind") else { throw error }
        attempts += 1
      }
    }
  }

  /// Returns the settings of the port and of the folder of the socket.
  static func addresses(port: Int, in folder: URL) -> [String: String] {
    // The path of a socket has at most 107 bytes.
    let hasSocket = folder.path.utf8.count + "/.s.PGSQL.65535.lock".utf8.count <= 107
    return ["port": "\(port)", "unix_socket_directories": hasSocket ? folder.path : ""]
  }

  /// Appends settings to postgresql.conf. A later line takes precedence over an earlier one.
  static func write(_ settings: [String: String], to folder: URL) throws {
    let lines = settings.sorted { $0.key < $1.key }.map { "\($0.key) = \(quoted($0.value))\n" }
    let file = try FileHandle(forWritingTo: folder.appending(path: "data/postgresql.conf"))
    try file.seekToEnd()
    try file.write(contentsOf: Data(lines.joined().utf8))
    try file.close()
  }

  /// Returns /dev/shm if that has 4 GB left, else the folder of temporary files.
  ///
  /// A new database has 300 files. It takes 40 ms in memory, and 100 to 280 ms in ext4, also without fsync.
  ///
  /// - Parameter keepsFiles: True for a server with fsync, which would cost nothing in memory.
  private static func parent(keepsFiles: Bool) -> URL {
    let memory = "/dev/shm"
    let needed: UInt64 = 4_000_000_000
    let available = (try? String(contentsOfFile: "/proc/meminfo", encoding: .utf8))?.split(separator: "\n")
      .first { $0.hasPrefix("MemAvailable:") }?.split(separator: " ").dropFirst().first.flatMap { UInt64($0) }
    var space = statvfs()
    guard !keepsFiles, let available, available * 1_024 > needed, statvfs(memory, &space) == 0,
      UInt64(space.f_bavail) * UInt64(space.f_frsize) > needed, access(memory, W_OK) == 0
    else { return FileManager.default.temporaryDirectory }
    return URL(fileURLWithPath: memory, isDirectory: true)
  }

  /// Returns the folder of the newest server that Debian's packages installed, else of the `initdb` in PATH.
  package static func findPrograms() throws -> URL {
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let folders =
      versions.compactMap { Int($0) }.sorted(by: >).map { "/usr/lib/postgresql/\($0)/bin" }
      + path.split(separator: ":").map { String($0) }
    for folder in folders {
      // PATH may have a link to one program only.
      let initdb = URL(fileURLWithPath: folder).appending(path: "initdb").resolvingSymlinksInPath()
      let programs = initdb.deletingLastPathComponent()
      let names = ["initdb", "postgres", "psql", "pg_dump", "pg_basebackup"]
      if names.allSatisfy({ FileManager.default.isExecutableFile(atPath: programs.appending(path: $0).path) }) {
        return programs
      }
    }
    throw PostgresServerError(description: "PostgreSQL's server is missing: run deploy/setup.sh test.")
  }

  /// Returns a port that no program listens on now.
  private static func freePort() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        bind(descriptor, generic, length) == 0 ? getsockname(descriptor, generic, &length) : -1
      }
    }
    guard status == 0 else { throw PostgresServerError(description: "no free port: \(errno)") }
    return Int(UInt16(bigEndian: address.sin_port))
  }
}

/// The user that the server runs as. PostgreSQL refuses root, so root runs it as `postgres` or `nobody`.
package struct ServerOwner: Sendable {
  private let ids: (user: uid_t, group: gid_t)?

  /// Throws if this process is root, and there is no such user.
  package init() throws {
    guard geteuid() == 0 else {
      ids = nil
      return
    }
    guard let entry = getpwnam("postgres") ?? getpwnam("nobody") else {
      throw PostgresServerError(description: "PostgreSQL refuses root, and there is no user postgres or nobody.")
    }
    ids = (entry.pointee.pw_uid, entry.pointee.pw_gid)
  }

  /// Returns the command that runs the words as the owner. setpriv(1) becomes the program, without a new process.
  package func command(_ words: [String]) -> [String] {
    guard let ids else { return words }
    return ["setpriv", "--reuid=\(ids.user)", "--regid=\(ids.group)", "--clear-groups", "--"] + words
  }

  /// Creates a folder that only the owner and root can read.
  package func makeFolder(in parent: URL) throws -> URL {
    let pattern = parent.appending(path: "onthemap-postgres-XXXXXX").path
    guard let path = strdup(pattern) else { throw PostgresServerError(description: "out of memory") }
    defer { free(path) }
    guard mkdtemp(path) != nil, ids.map({ chown(path, $0.user, $0.group) }) ?? 0 == 0 else {
      throw PostgresServerError(description: "cannot make \(pattern): \(String(cString: strerror(errno)))")
    }
    return URL(fileURLWithPath: String(cString: path), isDirectory: true)
  }
}

/// Returns the text as a literal of SQL and of postgresql.conf.
func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }
