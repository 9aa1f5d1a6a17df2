import ArgumentParser
import Ingest
import OnTheMap

/// Options of ingest, alone and within `up`.
struct IngestOptions: ParsableArguments {
  @Option(help: "Folder of the database. [ONTHEMAP_DATA, default: ./data]")
  var data: String?
  @Option(help: "Ingest's address for HTTP, HOST:PORT. [ONTHEMAP_HTTP, default: 127.0.0.1:8080]")
  var http: String?
  @Option(help: "Address for workers. [ONTHEMAP_JOBS, default: tcp://127.0.0.1:7701]")
  var jobs: String?
  @Option(help: "Address for feeds. [ONTHEMAP_CHANGES, default: tcp://127.0.0.1:7702]")
  var changes: String?
  @Option(help: "Address for producers. [ONTHEMAP_SUBMIT, default: tcp://127.0.0.1:7700]")
  var submit: String?
  @Option(help: "What people open; https:// makes cookies secure. [ONTHEMAP_ORIGIN]")
  var origin: String?
  @Option(
    help: "Requests a second to remote providers, of all workers, 0.01 to 100. [ONTHEMAP_REMOTE_RATE, default: 1]")
  var remoteRate: String?

  /// Throws `SettingError` with what is wrong.
  func configuration(_ settings: Settings) throws -> IngestConfiguration {
    let address = try settings.address(.http, flag: http, default: "127.0.0.1:8080")
    let origin = settings.text(.origin, flag: origin, default: "")
    // What a browser sends as Origin, to be compared with it: no path, not even a slash.
    guard origin.isEmpty || origin.wholeMatch(of: #/https?:\/\/[^\/?#@\s]+/#) != nil else {
      throw SettingError(
        .origin, expected: "the address that people open, without a path, such as https://example.org", came: origin)
    }
    let data = settings.text(.data, flag: data, default: "./data")
    guard !data.isEmpty else { throw SettingError(.data, expected: "a folder such as ./data", came: data) }
    let rate = settings.text(.remoteRate, flag: remoteRate, default: "1")
    guard let perSecond = Double(rate), Limits.remotePerSecondRange.contains(perSecond) else {
      throw SettingError(.remoteRate, expected: "a number from 0.01 to 100, of requests a second", came: rate)
    }
    var configuration = IngestConfiguration(
      data: data, host: address.host, port: address.port,
      jobs: try settings.endpoint(.jobs, flag: jobs, default: "tcp://127.0.0.1:7701"),
      changes: try settings.endpoint(.changes, flag: changes, default: "tcp://127.0.0.1:7702"),
      submit: try settings.endpoint(.submit, flag: submit, default: "tcp://127.0.0.1:7700"), origin: origin)
    configuration.remotePerSecond = perSecond
    return configuration
  }
}
