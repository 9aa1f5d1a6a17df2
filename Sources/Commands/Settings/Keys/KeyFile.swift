import Domain
import Foundation
import Messaging

/// A file that holds a secret key: some comments and one line of Z85.
enum KeyFile {
  /// How our own begin, so that one that is given where a public key is wanted is recognised.
  private static let heading = "# The secret key of one service of onthemap."

  /// What is wrong with a file of keys, and what to do.
  struct FileError: Error, CustomStringConvertible {
    let description: String
  }

  /// Whether nobody but the owner, and whom the owner gave it to, can read a file. A group may read root's: so systemd
  /// hands out credentials.
  static func isPrivate(mode: UInt32, owner: UInt32) -> Bool {
    mode & 0o077 == 0 || owner == 0 && mode & 0o037 == 0
  }

  /// The key of a file. Throws `Mistake`.
  static func read(_ path: String) throws(FileError) -> KeyPair {
    let file = try open(path)
    guard isPrivate(mode: file.mode, owner: file.owner) else {
      throw FileError(
        description: "\(path) can be read by others, so its key is no secret: chmod 600 \(path); if somebody may "
          + "have read it, make a new one with: onthemap keys new")
    }
    let lines = KeyLines(file.text).lines
    guard lines.count == 1, lines[0].rest.isEmpty, let pair = KeyPair(secret: lines[0].key) else {
      throw FileError(
        description: "\(path) is no secret key: one line of 40 characters, as `onthemap keys new` writes it")
    }
    return pair
  }

  /// The text of a file of keys. Throws `Mistake` where it cannot be read or is longer than any list.
  static func text(_ path: String) throws(FileError) -> String { try open(path).text }

  /// Writes a new file that only its owner can read: whole and on disk, or not at all.
  ///
  /// - Parameter replaces: whether one that is there may go. It goes in the same instant in which the new one comes.
  /// - Throws: `Mistake`.
  static func write(_ pair: KeyPair, to path: String, replaces: Bool) throws(FileError) {
    let text = """
      \(heading) Keep it to yourself; others get the public one:
      # \(pair.publicKey)
      \(pair.secret)

      """
    let new = "\(path).new-\(getpid())"
    let descriptor = Glibc.open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .cannot("be made", new) }
    defer { unlink(new) }
    let isWritten = writeAll(Array(text.utf8), on: descriptor) && fsync(descriptor) == 0
    let failure = errno
    close(descriptor)
    guard isWritten else {
      errno = failure
      throw .cannot("be written", new)
    }
    if replaces {
      guard rename(new, path) == 0 else { throw .cannot("be replaced", path) }
      return
    }
    // Fails where there is one, which a rename would replace.
    guard link(new, path) == 0 else {
      guard errno == EEXIST else { throw .cannot("be made", path) }
      throw FileError(
        description: "\(path) is there already, and whoever knows its key would be lost: use another name, or --force")
    }
  }

  /// The public key in a file that holds nothing else. Nil where there is no such file.
  ///
  /// - Throws: `Mistake` where it holds something else.
  static func publicKey(_ path: String) throws(FileError) -> PublicKey? {
    guard access(path, F_OK) == 0 else { return nil }
    let text = try text(path)
    guard !text.hasPrefix(heading) else {
      throw FileError(description: "\(path) holds a secret key; the public one is what onthemap keys show \(path) prints")
    }
    let lines = KeyLines(text).lines
    guard lines.count == 1, let key = PublicKey(lines[0].key) else {
      throw FileError(description: "\(path) is no public key: one line of 40 characters, as onthemap keys show prints it")
    }
    return key
  }

  private static func open(_ path: String) throws(FileError) -> (text: String, mode: UInt32, owner: UInt32) {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .cannot("be read", path) }
    defer { close(descriptor) }
    // Of what a link leads to: so other systems hand out secrets.
    let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: target),
      let mode = attributes[.posixPermissions] as? Int, let owner = attributes[.ownerAccountID] as? Int
    else { throw .cannot("be read", path) }
    guard attributes[.type] as? FileAttributeType == .typeRegular else {
      throw FileError(description: "\(path) is no file")
    }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: ToolLimits.readBytes)
    while bytes.count <= Limits.keyFileBytesMax {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .cannot("be read", path) }
      if count == 0 { break }
      bytes.append(contentsOf: chunk[..<count])
    }
    guard bytes.count <= Limits.keyFileBytesMax else {
      throw FileError(description: "\(path) has more than \(Limits.keyFileBytesMax) bytes: it is no file of keys")
    }
    return (String(decoding: bytes, as: UTF8.self), UInt32(mode), UInt32(owner))
  }
}

extension KeyFile.FileError {
  /// What the system said last.
  fileprivate static func cannot(_ what: String, _ path: String) -> Self {
    Self(description: "\(path) cannot \(what): \(String(cString: strerror(errno)))")
  }
}
