import Ingest
import Logging
import SQLiteStore

extension IngestService {
  /// Creates ingest with an SQLite store in its data folder.
  init(_ configuration: IngestConfiguration, logger: Logger, ready: @escaping @Sendable (Addresses) -> Void) {
    let folder = configuration.data
    self.init(
      configuration, store: { try SQLiteDatabase(folder: folder, logger: logger) }, logger: logger, ready: ready)
  }
}
