import Glibc

/// Detector of files that are removed or replaced while SQLite has them open. SQLite itself would continue to write to
/// a file without a name.
struct OpenFileGuard: Sendable {
  /// Error for a file that was removed or replaced. Later writes to it are lost.
  struct FileReplaced: Error, CustomStringConvertible {
    let path: String
    var description: String { "\(path) was removed or replaced while it was in use" }
  }

  private struct FileIdentity: Sendable, Equatable {
    let path: String
    let device: dev_t
    let inode: ino_t

    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      self.path = path
      (device, inode) = (status.st_dev, status.st_ino)
    }
  }

  private let identities: [FileIdentity]

  /// Records the identity of each file.
  ///
  /// - Throws: `FileReplaced` if a file does not exist.
  init(_ paths: [String]) throws(FileReplaced) {
    var identities: [FileIdentity] = []
    for path in paths {
      guard let identity = FileIdentity(path) else { throw FileReplaced(path: path) }
      identities.append(identity)
    }
    self.identities = identities
  }

  /// Checks that each file is still the same. The cost is small compared with a commit.
  ///
  /// - Throws: `FileReplaced`.
  func check() throws(FileReplaced) {
    for identity in identities where FileIdentity(identity.path) != identity {
      throw FileReplaced(path: identity.path)
    }
  }
}
