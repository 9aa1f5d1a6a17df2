import Ingest
import Logging
import SQLiteStore

extension IngestService {
  /// Ingest with an SQLite store in the folder of its data.
  init(_ configuration: IngestConfiguration, logger: Logger, ready: @escaping @Sendable (Addresses) -> Void) {
    let folder = configuration.data
    self.init(
      configuration, store: { try SQLiteDatabase(folder: folder, logger: logger) }, logger: logger, ready: ready)
  }
}
