package import Gazetteer
package import Logging
import Synchronization

/// The gazetteer that a process looks places up in, which can be replaced while it does. May be used from any thread.
package final class LiveGazetteer: Sendable {
  private let path: String
  private let logger: Logger
  private let current: Mutex<PlaceIndex>

  /// Opens the file. Throws `PlaceIndexError`, final until the file changes.
  package init(path: String, logger: Logger) throws(PlaceIndexError) {
    self.path = path
    self.logger = logger
    let index = try PlaceIndex(path: path)
    current = Mutex(index)
    Self.announce(index, path, logger)
  }

  /// The index to look up in now. Whoever holds one keeps it open: a look-up that is under way ends in the old file.
  package var index: PlaceIndex { current.withLock { $0 } }

  /// Takes the file that is at the path now. It is opened and every record of it looked at first, which takes some
  /// seconds; where it is not whole, the old one stays, and the log says why.
  package func reopen() {
    do throws(PlaceIndexError) {
      try IndexInspection(path: path).run()
      let index = try PlaceIndex(path: path)
      current.withLock { $0 = index }
      Self.announce(index, path, logger)
    } catch {
      logger.error("gazetteer not replaced, the old one stays in use", metadata: ["reason": "\(error)"])
    }
  }

  private static func announce(_ index: PlaceIndex, _ path: String, _ logger: Logger) {
    logger.info(
      "gazetteer open",
      metadata: ["path": "\(path)", "places": "\(index.placeCount)", "builtAt": "\(index.builtAt)"])
  }
}
