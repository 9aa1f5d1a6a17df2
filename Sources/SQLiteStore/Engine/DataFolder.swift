import CSQLite
import Domain
import Foundation
import GRDB
import Glibc
import Store

/// The files of a data folder, for checks from outside the process that uses them. Any thread.
package struct DataFolder: Sendable {
  /// The state of a database that no process uses.
  package enum Condition: Sendable, Equatable {
    /// The next start creates a database.
    case none
    /// The next start accepts the database. The size is in bytes.
    case intact(bytes: Int64)
    /// The next start refuses the database. The text has the remedy.
    case unusable(String)
    /// The check would have to write to the folder. The text is the reason.
    case unchecked(String)
  }

  /// SQLite as this process has loaded it.
  package enum Library {
    /// Version, such as "3.40.1".
    package static var version: String { String(cString: sqlite3_libversion()) }
    /// True if several threads may use SQLite, which the program needs.
    package static var isThreadSafe: Bool { sqlite3_threadsafe() != 0 }
  }

  /// Path of the database.
  package let database: String
  /// Path of the high-water file.
  package let highWater: String
  /// Path of the lock that a running ingest holds.
  package let lock: String
  private let folder: String

  /// Creates the paths of a folder. Reads nothing.
  package init(_ folder: String) {
    self.folder = folder
    database = folder + "/onthemap.sqlite"
    highWater = folder + "/onthemap.highwater"
    lock = folder + "/onthemap.lock"
  }

  /// True if a process holds the lock. Nil if this user may not open the lock.
  ///
  /// The test holds the lock itself for a few microseconds, and creates no file.
  package var isInUse: Bool? {
    let descriptor = open(lock, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return errno == ENOENT || errno == ENOTDIR ? false : nil }
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { return true }
    flock(descriptor, LOCK_UN)
    return false
  }

  /// Checks the database as the next start would, and changes no file. Do not call this while a process uses the
  /// folder. Blocks on the disk, for about a second at most.
  package func inspect() -> Condition {
    do { try MovedMark.refuse(folder) } catch { return .unusable("\(error)") }
    let bytes = DataFolder.size(database)
    let path = bytes > 0 && DataFolder.size(database + "-wal") > 0 ? withLog : withoutLog
    guard let path else {
      return .unchecked("the write-ahead log has no index, and only the next start may create it")
    }
    guard bytes == 0 || sqlite3_compileoption_used("USE_URI") != 0 else {
      return .unchecked("this SQLite cannot open a database without creating files (USE_URI)")
    }
    do {
      guard try StartupCheck(path: database, highWaterPath: highWater, connection: path).run() != nil else {
        return .none
      }
      var configuration = GRDB.Configuration()
      configuration.readonly = true
      let isNewer = try DatabaseQueue(path: path, configuration: configuration).read(Schema.migrator.hasBeenSuperseded)
      guard !isNewer else {
        return .unusable("\(database) was created or upgraded by a newer version of onthemap")
      }
      return .intact(bytes: bytes)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CANTOPEN {
      return .unchecked("\(database) cannot be opened: \(error)")
    } catch let error as StoreError {
      return .unusable("\(error)")
    } catch {
      return .unusable("\(database): \(error). \(StartupCheck.repairAdvice)")
    }
  }

  /// URI of a database without a log: SQLite takes no lock and creates no file.
  private var withoutLog: String? { uri("immutable=1") }

  /// URI of a database with a log: SQLite reads the existing index of the log, and creates none. Nil without an index.
  private var withLog: String? { DataFolder.size(database + "-shm") > 0 ? uri("readonly_shm=1") : nil }

  private func uri(_ option: String) -> String? {
    let path = URL(fileURLWithPath: database).standardizedFileURL.path
    let plain = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "/-._"))
    return path.addingPercentEncoding(withAllowedCharacters: plain).map { "file:\($0)?mode=ro&\(option)" }
  }

  /// Returns the size of a file in bytes. 0 if it does not exist.
  private static func size(_ path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }
}
