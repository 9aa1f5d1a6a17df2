import Glibc

/// Files that must stay where they are while SQLite has them open: it would go on writing into what nobody finds again.
struct OpenFileGuard: Sendable {
  /// One of them was removed or replaced. What was written since is lost with it.
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

  private let places: [FileIdentity]

  /// - Throws: `Gone` where one is not there.
  init(_ paths: [String]) throws(FileReplaced) {
    var places: [FileIdentity] = []
    for path in paths {
      guard let place = FileIdentity(path) else { throw FileReplaced(path: path) }
      places.append(place)
    }
    self.places = places
  }

  /// Asks the file system about each: little beside a commit.
  ///
  /// - Throws: `Gone`.
  func check() throws(FileReplaced) {
    for place in places where FileIdentity(place.path) != place { throw FileReplaced(path: place.path) }
  }
}
