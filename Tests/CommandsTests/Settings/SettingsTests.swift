import ArgumentParser
import InMemoryLogging
import Logging
import Testing

@testable import Commands

@Suite("Settings")
struct SettingsTests {
  @Test(
    "The log shows the settings that differ from their default, and at level debug all settings",
    arguments: [Logger.Level.info, .debug])
  func logged(level: Logger.Level) async throws {
    let settings = try await Settings(CommonOptions.parse([]))
    _ = settings.text(.jobs, flag: "tcp://127.0.0.1:1")
    _ = settings.text(.changes, flag: nil)
    let log = InMemoryLogHandler()
    var logger = Logger(label: "test") { _ in log }
    logger.logLevel = level
    settings.log(to: logger)
    let entry = try #require(log.entries.first { "\($0.message)" == "configuration loaded" })
    #expect(entry.metadata["ONTHEMAP_JOBS"] == "tcp://127.0.0.1:1")
    #expect((entry.metadata["ONTHEMAP_CHANGES"] != nil) == (level == .debug))
  }

  @Test("Service variables from Kubernetes do not count as settings")
  func serviceLinks() {
    for (name, value) in [
      ("ONTHEMAP_SERVICE_HOST", "10.0.0.1"), ("ONTHEMAP_SERVICE_HOST", "fd00::1"), ("ONTHEMAP_SERVICE_PORT", "80"),
      ("ONTHEMAP_SERVICE_PORT_HTTP", "80"), ("ONTHEMAP_SERVICE_PORT_FEED_HTTP", "8081"),
      ("ONTHEMAP_PORT", "tcp://10.0.0.1:80"), ("ONTHEMAP_PORT", "tcp://[fd00::1]:80"),
      ("ONTHEMAP_PORT_8080_TCP", "tcp://10.0.0.1:8080"), ("ONTHEMAP_PORT_8080_TCP_PROTO", "tcp"),
      ("ONTHEMAP_PORT_8080_TCP_PORT", "8080"), ("ONTHEMAP_PORT_8080_TCP_ADDR", "10.0.0.1"),
      ("ONTHEMAP_PORT_53_UDP", "udp://10.0.0.1:53"), ("ONTHEMAP_FEED_SERVICE_HOST", "10.0.0.2"),
      ("ONTHEMAP_FEED_PORT_7710_TCP_ADDR", "10.0.0.2"), ("ONTHEMAP_GEOCODER_2_PORT", "tcp://10.0.0.3:7701"),
    ] { #expect(Settings.isServiceLink(name, value), "\(name)=\(value)") }
  }

  @Test("Misspelt settings and real settings do not count as service variables")
  func notServiceLinks() {
    for (name, value) in [
      ("ONTHEMAP_PORT", "8080"), ("ONTHEMAP_HTTP_PORT", "8080"), ("ONTHEMAP_HTTP_PORT", ""),
      ("ONTHEMAP_SERVICE_HOST", "map.example.org"), ("ONTHEMAP_SERVICE_HOST", ""), ("ONTHEMAP_SERVICE_PORT", "http"),
      ("ONTHEMAP_HOST", "10.0.0.1"), ("ONTHEMAP_SERVICE", "10.0.0.1"), ("ONTHEMAP_WORKRS", "2"),
      ("ONTHEMAP_PORT_8080", "tcp://10.0.0.1:8080"), ("ONTHEMAP_PORT_8080_HTTP", "tcp://10.0.0.1:8080"),
      ("ONTHEMAPSERVICE_HOST", "10.0.0.1"), ("ONTHEMAP__SERVICE_HOST", "10.0.0.1"), ("OTHER_PORT", "tcp://10.0.0.1:80"),
    ] { #expect(!Settings.isServiceLink(name, value), "\(name)=\(value)") }
    for setting in Setting.all {
      for value in ["10.0.0.1", "80", "tcp://10.0.0.1:80"] {
        #expect(!Settings.isServiceLink(setting.name, value), "\(setting.name)=\(value)")
      }
    }
  }
}
