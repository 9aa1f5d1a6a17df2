import ArgumentParser
import Domain
import Foundation
import Messaging
import Testing

@testable import Commands

@Suite("Lists of addresses in settings")
struct AddressListTests {
  private static func list(_ count: Int) -> String {
    (1...count).map { "tcp://10.0.0.\($0):7701" }.joined(separator: ",")
  }

  /// Returns the addresses of a worker's setting, or the error.
  private func addresses(_ text: String) async throws -> Result<[String], SettingError> {
    let settings = try await Settings(CommonOptions.parse([]))
    do {
      return .success(try settings.endpoints(.workerIngest, flag: text).map(\.description))
    } catch let error as SettingError { return .failure(error) }
  }

  @Test(
    "A list has one to eight addresses, with spaces around them or without",
    arguments: [
      ("tcp://a:1", ["tcp://a:1"]), ("tcp://a:1,tcp://b:2", ["tcp://a:1", "tcp://b:2"]),
      (" tcp://a:1 , ipc:///run/x ", ["tcp://a:1", "ipc:///run/x"]),
      ("tcp://[::1]:1,tcp://b:1", ["tcp://[::1]:1", "tcp://b:1"]),
    ])
  func valid(text: String, addresses: [String]) async throws {
    #expect(try await self.addresses(text).get() == addresses)
    #expect(try await self.addresses(Self.list(Limits.addressesMax)).get().count == 8)
  }

  @Test(
    "An empty, repeated, invalid or ninth address, and one without a port, is refused with the reason",
    arguments: [
      ("tcp://a:1,", "contains an empty address"), (",tcp://a:1", "contains an empty address"),
      ("tcp://a:1,,tcp://b:1", "contains an empty address"), ("tcp://a:1,tcp://b:1, tcp://a:1", "tcp://a:1 twice"),
      ("tcp://a:1,b:1", "not \"b:1\""), ("", "not \"\""), ("tcp://a:1;tcp://b:1", "not \"tcp://a:1;tcp://b:1\""),
      ("tcp://a:1,tcp://b:0", "must have the port of the service, not \"tcp://b:0\""),
      ("tcp://a:*", "must have the port of the service"),
      (list(Limits.addressesMax + 1), "at most 8 addresses, not 9"),
    ])
  func invalid(text: String, reason: String) async throws {
    let result = try await addresses(text)
    let error = #expect(throws: SettingError.self) { try result.get() }
    let description = try #require(error?.description)
    #expect(description.hasPrefix("--ingest (ONTHEMAP_WORKER_INGEST) ") && description.contains(reason))
  }

  @Test("The error for an invalid address has an example, also without a default address")
  func example() async throws {
    let settings = try await Settings(CommonOptions.parse([]))
    let error = #expect(throws: SettingError.self) {
      _ = try settings.endpoint(.gateways, flag: "127.0.0.1:62003")
    }
    #expect(error?.description.contains("such as tcp://127.0.0.1:7703, not \"127.0.0.1:62003\".") == true)
  }
}
