import ArgumentParser
import Configuration
import Domain
import Foundation
import Logging
import Messaging
import SystemPackage
import Web

/// Options of every subcommand.
struct CommonOptions: ParsableArguments {
  @Option(.config)
  var config: String?

  @Option(.logLevel)
  var logLevel: String?
}

/// The fault of a setting: its name, the expected value and the actual one.
struct SettingError: Error, CustomStringConvertible {
  let description: String

  init(_ setting: Setting, expected: String, actual: String, flag: String? = nil) {
    let title = setting.title(flag: flag ?? setting.flag)
    description = "\(title) must be \(expected), not \"\(setting.isSecret ? "***" : actual)\"."
  }

  init(_ description: String) { self.description = description }
}

/// The effective settings: a flag, else the environment, else the file, else the default. Records each setting that a
/// command reads, for the log.
final class Settings {
  /// An effective value, masked if it is secret.
  struct Value {
    let name: String
    let text: String
    let source: Source
  }

  /// The source of an effective value.
  enum Source: Equatable {
    case flag, environment, standard
    case file(path: String)
  }

  /// The effective values of the settings that the command has read, in the order of reading.
  private(set) var effective: [Value] = []
  private let reader: ConfigReader
  /// The path of the settings file. Nil without one.
  private let path: String?
  /// Titles of settings by their address, for the error of an unusable address.
  private var titles: [String: String] = [:]
  let logLevel: Logger.Level

  /// Reads the environment and the file.
  ///
  /// - Throws: `SettingError` for unknown names, and for a file that cannot be read.
  init(_ common: CommonOptions) async throws {
    let environment = ProcessInfo.processInfo.environment
    let ours = environment.filter { $0.key.hasPrefix("ONTHEMAP_") && !Settings.isServiceLink($0.key, $0.value) }
    try Settings.refuseUnknown(Array(ours.keys), where: "the environment")
    // An empty variable counts as unset.
    path = common.config ?? environment[Setting.config.name].flatMap { $0.isEmpty ? nil : $0 }
    var providers: [any ConfigProvider] = [EnvironmentVariablesProvider()]
    if let path {
      guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
        throw SettingError(.config, expected: "a readable file of NAME=value lines", actual: path)
      }
      try Settings.refuseUnknown(try Settings.names(in: text, of: path), where: path)
      providers.append(try await EnvironmentVariablesProvider(environmentFilePath: FilePath(path)))
    }
    reader = ConfigReader(providers: providers)
    let set = common.logLevel ?? reader.string(forKey: ConfigKey(Setting.logLevel.path)) ?? ""
    let level = set.isEmpty ? Setting.logLevel.defaultValue : set
    guard let logLevel = Logger.Level(rawValue: level) else {
      throw SettingError(
        .logLevel, expected: "one of \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", "))", actual: level)
    }
    self.logLevel = logLevel
    if let path { note(.config, path, from: common.config == nil ? .environment : .flag) }
    note(.logLevel, level, from: common.logLevel != nil ? .flag : set.isEmpty ? .standard : source(of: .logLevel))
  }

  /// Returns the text of a setting.
  ///
  /// - Parameter fallback: A computed default. Nil for the setting's own.
  func text(_ setting: Setting, flag: String?, default fallback: String? = nil) -> String {
    optional(setting, flag: flag) ?? note(setting, fallback ?? setting.defaultValue, from: .standard)
  }

  /// Returns the text of a setting. Nil if it is not set.
  func optional(_ setting: Setting, flag: String?) -> String? {
    if let flag { return note(setting, flag, from: .flag) }
    // An empty value (NAME=) in a file or in the environment unsets a setting.
    guard let value = reader.string(forKey: ConfigKey(setting.path), isSecret: setting.isSecret), !value.isEmpty else {
      return nil
    }
    return note(setting, value, from: source(of: setting))
  }

  /// Returns a setting that is a whole number.
  ///
  /// - Parameter fallback: A computed default. Nil for the setting's own.
  func number(
    _ setting: Setting, flag: String?, default fallback: String? = nil, in range: ClosedRange<Int>
  ) throws -> Int {
    let text = text(setting, flag: flag, default: fallback)
    guard let number = Int(text), range.contains(number) else {
      throw SettingError(setting, expected: "a number from \(range.words)", actual: text)
    }
    return number
  }

  /// Returns a setting that is an HTTP address, such as "127.0.0.1:8080". Port 0 or * selects a free one.
  ///
  /// - Parameter name: Flag of a command that gives the setting another name. Nil for the setting's own.
  func address(_ setting: Setting, flag: String?, name: String? = nil) throws -> (host: String, port: Int) {
    let text = text(setting, flag: flag)
    // A slash is in a ZeroMQ address or in a URL.
    guard let colon = text.lastIndex(of: ":"), colon > text.startIndex, !text.contains("/"),
      let port = text[text.index(after: colon)...] == "*" ? 0 : UInt16(text[text.index(after: colon)...])
    else {
      throw SettingError(setting, expected: "HOST:PORT such as \(setting.defaultValue)", actual: text, flag: name)
    }
    let host = text[..<colon].trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    titles["\(host):\(port)"] = setting.title(flag: name ?? setting.flag)
    return (host, Int(port))
  }

  /// Returns a setting that is a ZeroMQ address.
  ///
  /// - Parameter fallback: A computed default. Nil for the setting's own.
  func endpoint(_ setting: Setting, flag: String?, default fallback: String? = nil) throws -> Endpoint {
    try endpoint(text(setting, flag: flag, default: fallback), setting, example: fallback ?? setting.exampleValue)
  }

  private func endpoint(_ text: String, _ setting: Setting, example: String) throws -> Endpoint {
    do {
      let endpoint = try Endpoint(text)
      titles[endpoint.description] = setting.title
      return endpoint
    } catch {
      throw SettingError(setting, expected: "tcp://HOST:PORT or ipc://PATH, such as \(example)", actual: text)
    }
  }

  /// Returns a setting that is a list of ZeroMQ addresses to which a client connects, separated by commas.
  ///
  /// - Parameter fallback: A computed default. Nil for the setting's own.
  /// - Throws: `SettingError` for an invalid or empty entry, a repeated one, one without a fixed port, and more than
  ///   `Limits.addressesMax`.
  func endpoints(_ setting: Setting, flag: String?, default fallback: String? = nil) throws -> [Endpoint] {
    try endpoints(
      in: text(setting, flag: flag, default: fallback), setting.title, example: fallback ?? setting.exampleValue)
  }

  /// Returns the ZeroMQ addresses of a list, separated by commas.
  ///
  /// - Parameters:
  ///   - title: Name of the option, for errors.
  ///   - example: A valid address.
  /// - Throws: as `endpoints(_:flag:default:)` does.
  func endpoints(in text: String, _ title: String, example: String) throws -> [Endpoint] {
    var endpoints: [Endpoint] = []
    for entry in text.split(separator: ",", omittingEmptySubsequences: false) {
      let entry = entry.trimmingCharacters(in: .whitespaces)
      guard !entry.isEmpty || text.isEmpty else {
        throw SettingError("\(title) contains an empty address: \"\(text)\". Remove the comma without an address.")
      }
      guard let endpoint = try? Endpoint(entry) else {
        throw SettingError("\(title) must be tcp://HOST:PORT or ipc://PATH, such as \(example), not \"\(entry)\".")
      }
      guard endpoint.hasFixedPort else {
        throw SettingError(
          "\(title) must have the port of the service, not \"\(entry)\". Only a service can select a free port.")
      }
      guard !endpoints.contains(endpoint) else {
        throw SettingError("\(title) contains \(endpoint) twice. Name each address once.")
      }
      endpoints.append(endpoint)
    }
    guard endpoints.count <= Limits.addressesMax else {
      throw SettingError(
        "\(title) must be at most \(Limits.addressesMax) addresses, not \(endpoints.count): \"\(text)\".")
    }
    for endpoint in endpoints { titles[endpoint.description] = title }
    return endpoints
  }

  /// The setting of the address for operators that the operator has chosen. Nil for the default, which is only a
  /// preference: the process uses a free port if the default is in use.
  var chosenOperations: Setting? {
    [Setting.operations, .feedOperations, .workerOperations, .gatewayOperations].first { setting in
      effective.contains { $0.name == setting.name && $0.source != .standard }
    }
  }

  /// Returns the error that ended a service, with the setting of the unusable address if there is one.
  func blame(_ error: any Error) -> any Error {
    guard let address = (error as? LinkError)?.failedAddress ?? (error as? ListenError)?.address,
      let title = titles[address]
    else { return error }
    return SettingError("\(title): \(error)")
  }

  /// Logs the effective settings with masked secrets: all at level debug, otherwise those that differ from their
  /// default.
  func log(to logger: Logger) {
    let isComplete = logger.logLevel <= .debug
    let shown = effective.filter { isComplete || $0.source != .standard }
    logger.info(
      "configuration loaded", metadata: Logger.Metadata(uniqueKeysWithValues: shown.map { ($0.name, "\($0.text)") }))
  }

  @discardableResult
  private func note(_ setting: Setting, _ value: String, from source: Source) -> String {
    effective.removeAll { $0.name == setting.name }
    effective.append(Value(name: setting.name, text: setting.isSecret ? "***" : value, source: source))
    return value
  }

  /// Returns the source of a setting that no flag sets.
  private func source(of setting: Setting) -> Source {
    guard ProcessInfo.processInfo.environment[setting.name]?.isEmpty != false, let path else { return .environment }
    return .file(path: path)
  }

  private static func names(in text: String, of path: String) throws -> [String] {
    guard !text.utf8.contains(13) else {
      throw SettingError("\(path) contains carriage returns. Save it with Unix line endings.")
    }
    return try text.split(separator: "\n").compactMap { line in
      let line = line.trimmingCharacters(in: .whitespaces)
      guard !line.isEmpty, !line.hasPrefix("#") else { return nil }
      guard let equals = line.firstIndex(of: "=") else {
        throw SettingError("\(path) contains a line that is not NAME=value: \"\(line)\".")
      }
      return String(line[..<equals])
    }
  }

  /// True if Kubernetes has set this variable. Kubernetes describes every Service to every pod in such variables. Those
  /// of a Service named onthemap or onthemap-feed resemble settings, and must not prevent the program's start.
  ///
  /// Only these exact forms count, so that misspelt settings are still refused.
  static func isServiceLink(_ name: String, _ value: String) -> Bool {
    let link =
      #/
      ONTHEMAP(_[A-Z0-9]+)*_(
        SERVICE_HOST=[0-9A-Fa-f.:]+ | SERVICE_PORT(_[A-Z0-9_]+)?=[0-9]+
        | PORT(_[0-9]+_(TCP|UDP|SCTP))?=(tcp|udp|sctp):\/\/\S+
        | PORT_[0-9]+_(TCP|UDP|SCTP)_(PROTO=(tcp|udp|sctp) | PORT=[0-9]+ | ADDR=[0-9A-Fa-f.:]+)
      )
      /#
    return Setting.named(name) == nil && "\(name)=\(value)".wholeMatch(of: link) != nil
  }

  private static func refuseUnknown(_ names: [String], where place: String) throws {
    for name in names.sorted() where Setting.named(name) == nil {
      let nearest = Setting.all.min { distance($0.name, name) < distance($1.name, name) }
      throw SettingError(
        "unknown setting \(name) in \(place). Did you mean \(nearest?.name ?? Setting.data.name)?")
    }
  }

  /// Returns the Levenshtein distance of two texts.
  private static func distance(_ a: String, _ b: String) -> Int {
    var row = Array(0...b.utf8.count)
    for (i, x) in a.utf8.enumerated() {
      var corner = row[0]
      row[0] = i + 1
      for (j, y) in b.utf8.enumerated() {
        (corner, row[j + 1]) = (row[j + 1], min(corner + (x == y ? 0 : 1), row[j] + 1, row[j + 1] + 1))
      }
    }
    return row[b.utf8.count]
  }
}

extension Setting {
  /// The key from which the library derives the name of the environment variable.
  fileprivate var path: String { name.lowercased().replacingOccurrences(of: "_", with: ".") }
}
