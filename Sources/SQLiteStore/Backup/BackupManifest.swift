import Domain
import Foundation
import Glibc
import Store

/// Manifest of a backup: a JSON object beside the copy of the database. The backup is whole only with its manifest.
struct BackupManifest: Codable, Sendable, Equatable {
  /// Version of the manifest's format that this program writes.
  static let formatVersion = 1

  /// Version of the format.
  var format = BackupManifest.formatVersion
  /// Version of the program that made the backup.
  var product = ProductVersion.text
  /// Number of migrations of the schema.
  var schema: Int
  /// Epoch of the sequence numbers, as 32 hexadecimal digits.
  var epoch: String
  /// Number of starts of ingest on the database.
  var generation: UInt32
  /// Highest account id. 0 without accounts.
  var account: Int64
  /// Highest post id. Empty without posts.
  var post: String
  /// Sequence number of the list.
  var seq: UInt64
  /// Number of accounts, without deleted accounts.
  var accounts: Int
  /// Number of posts, without deleted posts.
  var posts: Int
  /// Number of queued posts.
  var queued: Int
  /// Size of the copy, in bytes.
  var bytes: Int64
  /// BLAKE2b-256 of the copy, as 64 hexadecimal digits.
  var blake2b: String
  /// Time of the backup: RFC 3339, UTC.
  var created: String

  /// The manifest as JSON with one field in each line.
  var json: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Encoding fails only for numbers that JSON does not have.
    return Array((try? encoder.encode(self)) ?? Data()) + [UInt8(ascii: "\n")]
  }

  /// Time of the backup, in milliseconds since 1970, UTC.
  var createdMs: Int64 { unixMs(timestamp: created) ?? 0 }

  /// Highest numbers of the database. Nil if a field is out of range.
  var record: HighWater.Record? {
    guard let bytes = [UInt8](hexadecimal: epoch), let epoch = Epoch(bytes),
      let post = post.isEmpty ? 0 : PostID(post)?.rawValue
    else { return nil }
    return HighWater.Record(
      epoch: epoch, mark: HighWater.Mark(generation: generation, account: account, post: post, seq: seq))
  }

  /// The fields that decide about the rest.
  private struct Head: Decodable {
    let format: Int
    let product: String
  }
}

extension BackupManifest {
  /// Decodes a manifest.
  ///
  /// - Throws: `BackupError` for JSON that is no manifest, or for a manifest of a newer program.
  init(json: [UInt8], path: String) throws(BackupError) {
    let (data, decoder) = (Data(json), JSONDecoder())
    guard json.count <= Limits.backupManifestBytesMax, let head = try? decoder.decode(Head.self, from: data) else {
      throw BackupError("\(path) is not the manifest of a backup. Restore another backup.")
    }
    guard head.format <= BackupManifest.formatVersion else {
      throw BackupError(
        "\(path) has format \(head.format), and this program reads \(BackupManifest.formatVersion) or less. Restore "
          + "with onthemap \(head.product.safeLine(bytesMax: Limits.nameBytesMax)) or later.")
    }
    do { self = try decoder.decode(BackupManifest.self, from: data) } catch {
      throw BackupError("\(path) is damaged: a field is missing, or has another type. Restore another backup.")
    }
    let isValid = [
      format >= 1, schema >= 1, generation <= Limits.generationMax, account >= 0, seq <= UInt64(Int64.max),
      accounts >= 0,
      posts >= 0, queued >= 0, bytes > 0, [UInt8](hexadecimal: blake2b)?.count == FileHash.bytes,
      unixMs(timestamp: created) != nil, record != nil,
    ]
    guard isValid.allSatisfy({ $0 }) else {
      throw BackupError("\(path) is damaged: a field is out of range. Restore another backup.")
    }
    guard schema <= Schema.version else {
      throw BackupError(
        "the backup of \(path) has schema \(schema), and this program knows \(Schema.version) or less. Restore with "
          + "onthemap \(product.safeLine(bytesMax: Limits.nameBytesMax)) or later.")
    }
  }

  /// Reads the manifest at a path.
  ///
  /// - Throws: `BackupError` if there is none, or if it cannot be read.
  init(reading path: String) throws(BackupError) {
    let bytes: [UInt8]
    do { bytes = try PlainFile.read(path, bytesMax: Limits.backupManifestBytesMax + 1) } catch {
      throw BackupError(
        error.code == ENOENT
          ? "there is no manifest \(path). Without it a file is no backup. Copy the manifest too, or restore another "
            + "backup."
          : "cannot read \(path): \(error). Run as its owner, or as root.")
    }
    try self.init(json: bytes, path: path)
  }
}
