import ArgumentParser
import Domain
import Messaging

/// Options of the tools that ask ingest over its admin socket.
struct AdminOptions: ParsableArguments {
  @Option(.admin, "Ingest's address for its operator.")
  var admin: String?
  @Option(.data, "Folder of ingest's database, with its socket.")
  var data: String?
  @OptionGroup var common: CommonOptions

  /// Throws `SettingError` with what is wrong.
  func endpoint(_ settings: Settings) throws -> Endpoint {
    let data = settings.text(.data, flag: data)
    guard let endpoint = try settings.admin(flag: admin, data: data) else {
      throw SettingError(.data, expected: "a path short enough for a socket in it (or set ONTHEMAP_ADMIN)", actual: data)
    }
    return endpoint
  }

  /// Connects, for some questions, and hangs up.
  func connected(_ body: (AdminConnection) async throws -> Void) async throws {
    let connection = try AdminConnection(try endpoint(try await Settings(common)))
    defer { connection.close() }
    try await body(connection)
  }
}

extension SettingError {
  /// An answer to another question: a bug, or another version's ingest.
  static var unexpectedReply: SettingError { SettingError("Ingest's answer is not one to this question.") }
}
