import Domain
import Store

/// The file that marks a data folder whose data has moved to another store. Ingest refuses such a folder, because its
/// data grows old.
package struct MovedMark: Sendable, Equatable {
  /// Address of the other store, without secrets.
  package let address: String
  /// Time of the move, UTC.
  package let time: String

  /// Name of the file, after a slash.
  static let name = "/onthemap.moved"

  init(address: String, unixMs: Int64) { (self.address, time) = (address, timestamp(unixMs: unixMs)) }

  /// Reads the mark of a folder. Nil without a mark. A file that cannot be read is a mark too.
  package init?(folder: String) {
    let path = folder + MovedMark.name
    guard PlainFile.status(path) != nil else { return nil }
    let bytes = (try? PlainFile.read(path, bytesMax: Limits.movedMarkBytesMax)) ?? []
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map {
      String($0).safeLine(bytesMax: Limits.postgresURLBytesMax)
    }
    address = lines.first ?? "another store"
    time = lines.dropFirst().first ?? "an unknown date"
  }

  /// Refuses a folder with a mark.
  static func refuse(_ folder: String) throws(StoreError) {
    guard let mark = MovedMark(folder: folder) else { return }
    throw .unusable(
      path: folder,
      reason: """
        its data moved to \(mark.address) on \(mark.time). Start ingest with --store. To use the old data again, under \
        a new epoch, remove \(folder + MovedMark.name) and \(DataFolder(folder).highWater)
        """)
  }

  /// Writes the mark. Durable on return.
  func write(in folder: String) throws(SystemError) {
    let path = folder + MovedMark.name
    try PlainFile.write(Array("\(address)\n\(time)\n".utf8), to: path)
    // A tool of root writes the file, and ingest must be able to read it.
    try PlainFile.give(path, toOwnerOf: folder)
  }
}
