package import Gazetteer
package import Logging
import Synchronization

/// The gazetteer of a process, which can be replaced while lookups run. Any thread.
package final class LiveGazetteer: Sendable {
  private let path: String
  private let logger: Logger
  private let current: Mutex<PlaceIndex>

  /// Opens the file.
  ///
  /// - Throws: `PlaceIndexError`. Do not retry until the file changes.
  package init(path: String, logger: Logger) throws(PlaceIndexError) {
    self.path = path
    self.logger = logger
    let index = try PlaceIndex(path: path)
    current = Mutex(index)
    Self.announce(index, path, logger)
  }

  /// Index for new lookups. A caller keeps its index open, so a running lookup finishes with the old file.
  package var index: PlaceIndex { current.withLock { $0 } }

  /// Replaces the index with the file that is now at the path. Checks every record first, which takes a few seconds. If
  /// the file is damaged, logs the reason and keeps the old index.
  package func reopen() {
    do throws(PlaceIndexError) {
      try IndexInspection(path: path).run()
      let index = try PlaceIndex(path: path)
      current.withLock { $0 = index }
      Self.announce(index, path, logger)
    } catch {
      logger.error(
        "gazetteer reload failed: keeping the current one", metadata: ["path": "\(path)", "error": "\(error)"])
    }
  }

  private static func announce(_ index: PlaceIndex, _ path: String, _ logger: Logger) {
    logger.info(
      "gazetteer opened",
      metadata: ["path": "\(path)", "places": "\(index.placeCount)", "built_at": "\(index.builtAt)"])
  }
}
