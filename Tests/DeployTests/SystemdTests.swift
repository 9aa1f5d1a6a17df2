import Foundation
import Testing

@Suite("systemd")
struct SystemdTests {
  @Test("Every service runs one role of the program, as nobody, in a closed room")
  func services() {
    let wanted = [
      "Type=exec", "EnvironmentFile=-/etc/onthemap/onthemap.env", "DynamicUser=yes", "NoNewPrivileges=yes",
      "ProtectSystem=strict", "ProtectHome=yes", "PrivateTmp=yes", "PrivateDevices=yes", "CapabilityBoundingSet=",
      "MemoryDenyWriteExecute=yes", "SystemCallFilter=@system-service", "IPAddressDeny=any", "Restart=on-failure",
      "PartOf=onthemap.target", "WantedBy=onthemap.target",
    ]
    func rule(_ file: DeployFile) -> [String] {
      let lines = Set(file.lines)
      var complaints = wanted.filter { !lines.contains(Substring($0)) }.map { "\($0) is missing." }
      let role = file.name.prefix { $0 != "." && $0 != "@" }.split(separator: "-").last ?? ""
      if !lines.contains("ExecStart=/usr/bin/onthemap \(role)") { complaints.append("it does not run \(role).") }
      let keeps = lines.contains("StateDirectory=onthemap")
      if keeps != (role == "ingest") { complaints.append("ingest keeps a folder, and nobody else.") }
      return complaints
    }
    let ingest = DeployFile("deploy/systemd/onthemap-ingest.service")
    hold(
      Deployment.services, to: rule,
      bad: wanted.map { ingest.with($0 + "\n", replacedBy: "\n") } + [
        ingest.with("onthemap ingest", replacedBy: "onthemap feed"), ingest.with("StateDirectory=", replacedBy: "#"),
      ])
  }

  @Test("The target wants every service, and only such as exist")
  func target() {
    let services = Set(Deployment.services.map(\.name))
    func rule(_ file: DeployFile) -> [String] {
      let wanted = (file.matches(of: #"^Wants=(.*)$"#).first ?? "").split(separator: " ")
      let names = Set(wanted.map { String($0.replacing(#/@\d+\./#, with: "@.")) })
      return names.subtracting(services).map { "\($0) does not exist." }
        + services.subtracting(names).map { "\($0) is not wanted." }
    }
    let target = DeployFile("deploy/systemd/onthemap.target")
    hold(
      [target], to: rule,
      bad: [target.with("-feed.", replacedBy: "-feeds."), target.with(" onthemap-feed.service", replacedBy: "")])
  }

  @Test(
    "systemd-analyze finds nothing to complain of",
    .enabled(if: Program.systemdAnalyze != nil, "systemd-analyze is not installed"))
  func verify() throws {
    let analyze = try #require(Program.systemdAnalyze)
    let feed = DeployFile("deploy/systemd/onthemap-feed.service")
    try hold(
      Deployment.units,
      to: { file in
        try withUnits(changed: file) { path, folder in
          let (status, output) = try analyze.run("verify", "--man=no", path, at: folder)
          return status == 0 && output.isEmpty ? [] : ["exit code \(status): \(output)"]
        }
      },
      bad: [
        feed.with("Type=exec", replacedBy: "Typ=exec"), feed.with("UMask=0077", replacedBy: "UMask=rw"),
        feed.with("ExecStart=", replacedBy: "#ExecStart="),
      ])
  }

  @Test(
    "No service is exposed by more than 2.5 of 10",
    .enabled(if: Program.systemdAnalyze != nil, "systemd-analyze is not installed"))
  func exposure() throws {
    let analyze = try #require(Program.systemdAnalyze)
    let feed = DeployFile("deploy/systemd/onthemap-feed.service")
    try hold(
      Deployment.services,
      to: { file in
        try withUnits(changed: file) { path, folder in
          let (status, output) = try analyze.run("security", "--offline=true", "--threshold=25", path, at: folder)
          return status == 0 ? [] : [output.split(separator: "\n").last.map(String.init) ?? "exit code \(status)"]
        }
      },
      bad: [
        feed.with("SystemCallFilter=", replacedBy: "#").with("RestrictNamespaces=", replacedBy: "#")
          .with("IPAddressDeny=", replacedBy: "#").with("CapabilityBoundingSet=", replacedBy: "#")
      ])
  }

  /// All units in a folder of their own, one of them as given, with a program that exists here; the template also as
  /// its first instance.
  private func withUnits(changed: DeployFile, _ body: (String, URL) throws -> [String]) throws -> [String] {
    func instance(_ name: String) -> String { name.replacingOccurrences(of: "@.", with: "@1.") }
    return try Deployment.withFolder { folder in
      for unit in Deployment.units {
        let text = unit.path == changed.path ? changed.text : unit.text
        let here = text.replacingOccurrences(of: "=/usr/bin/onthemap ", with: "=/bin/true ")
        for name in [unit.name, instance(unit.name)] {
          try Data(here.utf8).write(to: folder.appending(path: name))
        }
      }
      return try body("./" + instance(changed.name), folder)
    }
  }
}
