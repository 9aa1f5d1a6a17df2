import Glibc

/// An error of a system call.
struct SystemError: Error, CustomStringConvertible {
  /// The value of `errno`.
  let code: Int32

  init(_ code: Int32 = errno) { self.code = code }

  /// The error in words, such as "Permission denied".
  var description: String { String(cString: strerror(code)) }
}

/// Files that are no databases: small files with their whole contents, and durable names.
enum PlainFile {
  /// Reads a file from its start, up to `bytesMax` bytes.
  static func read(_ path: String, bytesMax: Int) throws(SystemError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw SystemError() }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: bytesMax)
    var count = 0
    while count < bytesMax {
      let read = bytes.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress! + count, $0.count - count, off_t(count))
      }
      if read < 0, errno == EINTR { continue }
      guard read >= 0 else { throw SystemError() }
      guard read > 0 else { break }
      count += read
    }
    return Array(bytes[..<count])
  }

  /// Writes a file with access for its owner only, first under another name. A crash leaves the previous file or the
  /// new one. Durable on return.
  static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
    let new = path + ".new"
    // This removes the file of a process that was killed, or a link that another user has planted.
    unlink(new)
    let descriptor = open(new, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemError() }
    defer { close(descriptor) }
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0, rename(new, path) == 0,
      HighWater.syncFolder(of: path)
    else {
      let error = SystemError()
      unlink(new)
      throw error
    }
  }

  /// Makes the contents of a file, or the names in a folder, durable.
  static func sync(_ path: String) throws(SystemError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError() }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw SystemError() }
  }

  /// Returns the status of a file or folder, not of a link to it. Nil if it does not exist.
  static func status(_ path: String) -> stat? {
    var status = stat()
    return lstat(path, &status) == 0 ? status : nil
  }

  /// Returns the target of a symbolic link, as it is written in the link. Nil for another file.
  static func target(of link: String) -> String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(link, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
  }

  /// Returns a path without links. Nil if it does not exist, or may not be searched.
  static func resolve(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Returns the free bytes of a file system for this process. Nil if the kernel does not report them.
  static func freeBytes(_ path: String) -> Int64? {
    var system = statvfs()
    guard statvfs(path, &system) == 0, system.f_blocks > 0 else { return nil }
    let blocks = geteuid() == 0 ? system.f_bfree : system.f_bavail
    let (bytes, isTooGreat) = UInt64(blocks).multipliedReportingOverflow(by: UInt64(system.f_frsize))
    return isTooGreat ? .max : Int64(clamping: bytes)
  }

  /// Gives a file to the owner of a folder. Only root can, and only root needs to.
  static func give(_ path: String, toOwnerOf folder: String) throws(SystemError) {
    var status = stat()
    guard geteuid() == 0, stat(folder, &status) == 0 else { return }
    guard lchown(path, status.st_uid, status.st_gid) == 0 else { throw SystemError() }
  }
}
