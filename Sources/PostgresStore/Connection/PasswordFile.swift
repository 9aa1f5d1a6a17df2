import Domain
import Glibc

/// A file with the password of a role.
enum PasswordFile {
  /// Reads the password: one line of UTF-8. Blocks on the disk.
  static func read(_ path: String) throws(PostgresAddressError) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw unreadable(path) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw unreadable(path) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw .passwordFile("the password file \(path) is not a regular file. Name another one.")
    }
    // A group may read a file of root, because systemd passes on credentials this way.
    let forbidden: mode_t = status.st_uid == 0 ? 0o037 : 0o077
    guard status.st_mode & forbidden == 0 else {
      throw .passwordFile("the password file \(path) is accessible to other users. Run: chmod 600 \(path).")
    }
    let bytes = try contents(descriptor, path)
    guard let password = String(validating: bytes, as: UTF8.self),
      !password.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
    else {
      throw .passwordFile(
        "the password file \(path) must contain one line of text in UTF-8. Write only the password into it.")
    }
    guard !password.isEmpty else {
      throw .passwordFile("the password file \(path) is empty. Write the password into it.")
    }
    return password
  }

  /// Returns the bytes of a file without its last newlines.
  private static func contents(_ descriptor: Int32, _ path: String) throws(PostgresAddressError) -> ArraySlice<UInt8> {
    var buffer = [UInt8](repeating: 0, count: Limits.postgresPasswordFileBytesMax + 1)
    var count = 0
    while count < buffer.count {
      let size = buffer.count - count
      let read = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress! + count, size) }
      if read < 0, errno == EINTR { continue }
      guard read >= 0 else { throw unreadable(path) }
      if read == 0 { break }
      count += read
    }
    guard count <= Limits.postgresPasswordFileBytesMax else {
      throw .passwordFile(
        "the password file \(path) has more than \(Limits.postgresPasswordFileBytesMax) bytes. Write only the password "
          + "into it.")
    }
    let newlines: [UInt8] = [UInt8(ascii: "\n"), UInt8(ascii: "\r")]
    while count > 0, newlines.contains(buffer[count - 1]) { count -= 1 }
    return buffer[..<count]
  }

  /// Returns the error of the last system call.
  private static func unreadable(_ path: String) -> PostgresAddressError {
    .passwordFile(
      "cannot read the password file \(path): \(String(cString: strerror(errno))). Correct the path, or its owner.")
  }
}
