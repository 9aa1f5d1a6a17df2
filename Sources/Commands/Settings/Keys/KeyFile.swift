import Domain
import Foundation
import Messaging

/// A file with a secret key: comments and a line of Z85.
enum KeyFile {
  /// Start of the secret key files that this program writes. A file with this start is not a public key.
  private static let heading = "# Secret key of an onthemap service."

  /// The fault of a key file, and the remedy.
  struct FileError: Error, CustomStringConvertible {
    let description: String
  }

  /// True if only its owner can read a file. A group may also read a file of root, because systemd passes on
  /// credentials this way.
  static func isPrivate(mode: UInt32, owner: UInt32) -> Bool {
    mode & 0o077 == 0 || owner == 0 && mode & 0o037 == 0
  }

  /// Reads the key of a file.
  ///
  /// - Throws: `FileError` for an unreadable, unprotected or faulty file.
  static func read(_ path: String) throws(FileError) -> KeyPair {
    let file = try open(path)
    guard isPrivate(mode: file.mode, owner: file.owner) else {
      throw FileError(
        description: "\(path) is accessible to other users. Run: chmod 600 \(path). If the key may have leaked, create "
          + "a new one: onthemap keys new")
    }
    let lines = KeyLines(file.text).lines
    guard lines.count == 1, lines[0].rest.isEmpty, let pair = KeyPair(secret: lines[0].key) else {
      throw FileError(
        description: "\(path) is not a secret key file. Expected one line of 40 characters (onthemap keys new)")
    }
    return pair
  }

  /// Returns the text of a key file.
  ///
  /// - Throws: `FileError` if the file cannot be read, or is longer than `Limits.keyFileBytesMax`.
  static func text(_ path: String) throws(FileError) -> String { try open(path).text }

  /// Writes a new file that only its owner can read, completely or not at all. The file is durable on return.
  ///
  /// - Parameters:
  ///   - pair: The keys.
  ///   - path: Path of the file.
  ///   - replaces: True to replace an existing file, atomically.
  /// - Throws: `FileError` if the file exists or cannot be written.
  static func write(_ pair: KeyPair, to path: String, replaces: Bool) throws(FileError) {
    let text = """
      \(heading) Keep it private. Give this public key to its peers:
      # \(pair.publicKey)
      \(pair.secret)

      """
    let new = "\(path).new-\(getpid())"
    let descriptor = Glibc.open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .cannot("create", new) }
    defer { unlink(new) }
    let isWritten = writeAll(Array(text.utf8), on: descriptor) && fsync(descriptor) == 0
    let failure = errno
    close(descriptor)
    guard isWritten else {
      errno = failure
      throw .cannot("write", new)
    }
    if replaces {
      guard rename(new, path) == 0 else { throw .cannot("replace", path) }
      return
    }
    // `link` fails if the file exists. A rename would replace it.
    guard link(new, path) == 0 else {
      guard errno == EEXIST else { throw .cannot("create", path) }
      throw FileError(
        description: "\(path) exists. Choose another name, or pass --force to replace it. Peers that use its key can "
          + "then no longer connect")
    }
  }

  /// Reads the public key of a file that contains nothing else. Nil if there is no such file.
  ///
  /// - Throws: `FileError` if the file contains something else.
  static func publicKey(_ path: String) throws(FileError) -> PublicKey? {
    guard access(path, F_OK) == 0 else { return nil }
    let text = try text(path)
    guard !text.hasPrefix(heading) else {
      throw FileError(
        description: "\(path) contains a secret key. Print its public key instead: onthemap keys show \(path)")
    }
    let lines = KeyLines(text).lines
    guard lines.count == 1, let key = PublicKey(lines[0].key) else {
      throw FileError(
        description: "\(path) is not a public key file. Expected one line of 40 characters (onthemap keys show)")
    }
    return key
  }

  private static func open(_ path: String) throws(FileError) -> (text: String, mode: UInt32, owner: UInt32) {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .cannot("read", path) }
    defer { close(descriptor) }
    // Kubernetes mounts secrets as symbolic links, so check the attributes of the target.
    let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: target),
      let mode = attributes[.posixPermissions] as? Int, let owner = attributes[.ownerAccountID] as? Int
    else { throw .cannot("read", path) }
    guard attributes[.type] as? FileAttributeType == .typeRegular else {
      throw FileError(description: "\(path) is not a regular file")
    }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: ToolLimits.readBytes)
    while bytes.count <= Limits.keyFileBytesMax {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .cannot("read", path) }
      if count == 0 { break }
      bytes.append(contentsOf: chunk[..<count])
    }
    guard bytes.count <= Limits.keyFileBytesMax else {
      throw FileError(description: "\(path) is larger than \(Limits.keyFileBytesMax) bytes, so it is not a key file")
    }
    return (String(decoding: bytes, as: UTF8.self), UInt32(mode), UInt32(owner))
  }
}

extension KeyFile.FileError {
  /// Creates an error with the reason of the last system call.
  fileprivate static func cannot(_ verb: String, _ path: String) -> Self {
    Self(description: "cannot \(verb) \(path): \(String(cString: strerror(errno)))")
  }
}
