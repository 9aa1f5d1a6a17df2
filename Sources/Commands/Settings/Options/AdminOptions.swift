import ArgumentParser
import Domain
import Messaging

/// Options of the tools that connect to ingest's admin socket.
struct AdminOptions: ParsableArguments {
  @Option(.admin, "Ingest's admin address.")
  var admin: String?
  @Option(.data, "Ingest's data folder, which holds the admin socket.")
  var data: String?
  @OptionGroup var common: CommonOptions

  /// Returns the admin address.
  ///
  /// - Throws: `SettingError` for an invalid address.
  func endpoint(_ settings: Settings) throws -> Endpoint {
    let data = settings.text(.data, flag: data)
    guard let endpoint = try settings.admin(flag: admin, data: data) else {
      throw SettingError(
        .data, expected: "a path short enough for a socket address (or set ONTHEMAP_ADMIN)", actual: data)
    }
    return endpoint
  }

  /// Connects to ingest for the duration of `body`.
  func connected(_ body: (AdminConnection) async throws -> Void) async throws {
    let connection = try AdminConnection(try endpoint(try await Settings(common)))
    defer { connection.close() }
    try await body(connection)
  }
}

extension SettingError {
  /// The error for a reply of the wrong kind: a bug, or an ingest of another version.
  static var unexpectedReply: SettingError {
    SettingError("unexpected reply from ingest. Run the same version of onthemap as ingest.")
  }
}
