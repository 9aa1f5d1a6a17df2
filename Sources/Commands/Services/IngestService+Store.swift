import Domain
import Foundation
import Ingest
import Logging
import Messaging
import PostgresStore
import SQLiteStore
import Web

extension IngestService {
  /// Creates ingest with a store, which opens when the service runs.
  init(
    _ configuration: IngestConfiguration, store: StoreSelection, logger: Logger,
    ready: @escaping @Sendable (Addresses) -> Void
  ) {
    self.init(
      configuration,
      store: {
        switch store {
        case .sqlite(let folder): return try SQLiteDatabase(folder: folder, logger: logger)
        case .postgres(let address):
          configuration.createSocketFolder()
          return try await PostgresDatabase.lead(address, logger: logger) { generation in
            // Clients that wait on the socket use the leader instead.
            HeldSockets.release("http")
            configuration.readiness.waitAsStandby(
              "this ingest is a standby, which takes over when the ingest with generation \(generation) ends, or is "
                + "silent for \(Limits.leaderSilenceMs / 1_000) s")
          }
        }
      }, logger: logger, ready: ready)
  }
}

extension IngestConfiguration {
  /// Creates the data folder if the admin socket is in it. Without SQLite, nothing else creates it. If this fails, the
  /// bind of the socket reports the reason.
  fileprivate func createSocketFolder() {
    guard let address = admin?.description, address.hasPrefix("ipc://") else { return }
    let socket = URL(fileURLWithPath: String(address.dropFirst("ipc://".count)))
    let folder = URL(fileURLWithPath: data).standardizedFileURL.path
    guard socket.deletingLastPathComponent().standardizedFileURL.path == folder else { return }
    try? FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }
}
