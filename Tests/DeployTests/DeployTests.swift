import Foundation
import Testing

@Suite("Container image and compose file")
struct ContainerTests {
  private let dockerfile = DeployFile("deploy/Dockerfile")
  private let compose = DeployFile("deploy/compose.yaml")
  /// The Makefile's flags for a release build.
  private static let releaseFlags = DeployFile("Makefile").matches(of: "^RELEASE_FLAGS := (.+)$").first ?? "no flags"

  @Test("The image has pinned bases, runs as an unprivileged user and keeps no secret")
  func image() {
    func rule(_ file: DeployFile) -> [String] {
      let stages = file.matches(of: #"^FROM\s+(\S+)"#)
      var errors = stages.filter { $0.range(of: #":[\w.-]*\d"#, options: .regularExpression) == nil }
        .map { "\($0) is not pinned to a version." }
      if stages.count < 2 { errors.append("the image contains the compiler: build in a separate stage.") }
      let runtime = file.text.components(separatedBy: "\nFROM ").last ?? ""
      let user = DeployFile(file.path, runtime).matches(of: #"^USER\s+(\d+)"#).last.flatMap { Int($0) }
      if user ?? 0 == 0 { errors.append("it must run as a numbered user other than 0.") }
      for line in [
        "VOLUME /data", "STOPSIGNAL SIGTERM", Self.releaseFlags, "pipefail", "strip ", "THIRD-PARTY-NOTICES.txt",
      ] where !file.text.contains(line) {
        errors.append("\(line) is missing.")
      }
      for package in [
        "libzmq5", "libsqlite3-0", "libpq5", "libsodium23", "libargon2-1", "zlib1g", "libcurl4", "ca-certificates",
      ] where !runtime.contains(package) {
        errors.append("\(package) is missing in the runtime stage.")
      }
      let secret = #"^(?:ARG|\s*(?:ENV\s+)?)\s*(\w*(?:PASSWORD|TOKEN|SECRET|KEY)\w*)="#
      return errors + file.matches(of: secret).map { "\($0) would stay in the image." }
    }
    enforce(
      [dockerfile], to: rule,
      bad: [
        dockerfile.with("FROM debian:12-slim", replacedBy: "FROM debian:latest"),
        dockerfile.with("FROM debian:12-slim", replacedBy: "FROM debian"),
        dockerfile.with("USER 10001", replacedBy: "USER 0"), dockerfile.with("USER 10001:10001", replacedBy: ""),
        dockerfile.with("STOPSIGNAL SIGTERM", replacedBy: ""),
        dockerfile.with("-o\", \"pipefail", replacedBy: ""), dockerfile.with("--static-swift-stdlib", replacedBy: ""),
        dockerfile.with("libzmq5", replacedBy: "libzmq3-dev"),
        dockerfile.with("USER 10001", replacedBy: "ENV ONTHEMAP_PASSWORD=secret\nUSER 10001"),
        dockerfile.with(" AS build", replacedBy: "").with("\nFROM debian", replacedBy: "\n#FROM debian"),
      ])
  }

  @Test("Only sources reach the image's build context")
  func context() {
    func rule(_ file: DeployFile) -> [String] {
      let rules = file.lines.filter { !$0.isEmpty && !$0.hasPrefix("#") }
      let allowed: Set<Substring> = [
        "!Package.swift", "!Package.resolved", "!Sources", "!Tests", "!deploy/licences", "!deploy/notices.sh",
        "!deploy/packages.tsv",
      ]
      guard rules.first == "*" else { return ["its first rule must be *, so that unnamed files stay outside."] }
      return rules.dropFirst().filter { !allowed.contains($0) }.map { "\($0) is not needed for an image." }
    }
    let file = DeployFile("deploy/Dockerfile.dockerignore")
    enforce(
      [file], to: rule,
      bad: [file.with("\n*\n", replacedBy: "\n"), DeployFile("a", "*\n!deploy"), DeployFile("a", ".build\n")])
  }

  @Test("Compose runs all services unprivileged, gateways on request, and publishes ports on loopback only")
  func services() {
    func rule(_ file: DeployFile) -> [String] {
      let services = file.text.components(separatedBy: "\nservices:\n").last ?? ""
      let body = DeployFile(file.path, services.components(separatedBy: "\nvolumes:\n").first ?? "")
      let names = body.matches(of: #"^  (\w+):$"#)
      let expected = ["feed", "gateway", "ingest", "keys", "worker"]
      var errors = names.sorted() == expected ? [] : ["its services are \(names)."]
      if body.matches(of: #"^    <<: \*service$"#).count != names.count {
        errors.append("every service must start with the shared part.")
      }
      for line in ["restart: unless-stopped", "read_only: true", "cap_drop: [ALL]", "no-new-privileges:true"]
      where !file.text.contains(line) {
        errors.append("\(line) is missing.")
      }
      for role in [
        "command: [ingest]", "command: [worker]", "command: [feed]", "command: [gateway]\n    profiles: [gateway]\n",
        "replicas: 2", "data:/data",
      ] where !body.text.contains(role) {
        errors.append("\(role) is missing.")
      }
      let ports = body.matches(of: #"^    ports: \[(.*)\]$"#).joined(separator: ", ").components(separatedBy: ", ")
      let single = ["8080", "8081", "7710", "7711"].map { "\"127.0.0.1:\($0):\($0)\"" }
      if ports.sorted() != (single + ["\"127.0.0.1:8090-8091:8090\""]).sorted() {
        errors.append("it publishes \(ports).")
      }
      if body.matches(of: #"/usr/bin/onthemap, health, "http://127\.0\.0\.1:\d+/livez""#).count != 4 {
        errors.append("every service needs a health check of /livez.")
      }
      let images = file.matches(of: #"^ +image: (.*)$"#)
      return errors
        + images.filter { !$0.contains(":") || $0.contains(":latest") }.map { "\($0) has no version." }
    }
    enforce(
      [compose], to: rule,
      bad: [
        compose.with("\n  feed:\n", replacedBy: "\n  other:\n"), compose.with("127.0.0.1:8080:", replacedBy: "8080:"),
        compose.with("[\"127.0.0.1:8080:8080\"]", replacedBy: "[\"127.0.0.1:7701:7701\"]"),
        compose.with("restart: unless-stopped", replacedBy: "restart: \"no\""),
        compose.with("read_only: true", replacedBy: "read_only: false"), compose.with("[ALL]", replacedBy: "[]"),
        compose.with("    profiles: [gateway]\n", replacedBy: ""),
        compose.with("onthemap:local", replacedBy: "onthemap:latest"), compose.with("health, ", replacedBy: ""),
        compose.with("  feed:\n    <<: *service\n", replacedBy: "  feed:\n"),
      ])
  }

  @Test("Compose allows as many file descriptors as the systemd units")
  func descriptors() {
    let units = Set(Deployment.services.map { $0.matches(of: #"^LimitNOFILE=(\d+)$"#) })
    func rule(_ file: DeployFile) -> [String] {
      let shared = DeployFile(file.path, file.text.components(separatedBy: "\nservices:\n")[0])
      let limits = shared.matches(of: #"^  ulimits: \{nofile: \{soft: (\d+), hard: \d+\}\}$"#)
      let hard = shared.matches(of: #"^  ulimits: \{nofile: \{soft: \d+, hard: (\d+)\}\}$"#)
      let isEqual = limits.count == 1 && hard == limits && units == Set([limits])
      return isEqual ? [] : ["its limits are \(limits) and \(hard), those of the units \(units)."]
    }
    enforce(
      [compose], to: rule,
      bad: [
        compose.with("soft: 65536", replacedBy: "soft: 1024"), compose.with("hard: 65536", replacedBy: "hard: 4096"),
        compose.with("  ulimits:", replacedBy: "  # ulimits:"),
      ])
  }

  @Test("Compose gives each service its own secret key only, and encrypts every link")
  func keys() {
    func rule(_ file: DeployFile) -> [String] {
      let services = file.text.components(separatedBy: "\nservices:\n").last ?? ""
      return ["ingest", "worker", "feed", "gateway"].flatMap { role in
        let body = services.components(separatedBy: "\n  \(role):\n").last?.components(separatedBy: "\n\n")[0] ?? ""
        let section = DeployFile(file.path, body)
        var errors: [String] = []
        if section.matches(of: #""(\w+)-key:/keys/\w+:ro""#) != [role] { errors.append("\(role) has other keys.") }
        let expected =
          role == "ingest"
          ? [
            "ALLOW_WORKERS: /keys/public/workers", "ALLOW_FEEDS: /keys/public/feeds",
            "ALLOW_GATEWAYS: /keys/public/gateways",
          ]
          : ["INGEST_KEY: /keys/public/ingest"]
        for line in expected + ["KEY_FILE: /keys/\(role)/key"] where !body.contains("ONTHEMAP_" + line) {
          errors.append("\(role) lacks \(line).")
        }
        return errors + (body.contains("PLAINTEXT") ? ["\(role) may send plain text."] : [])
      }
    }
    enforce(
      [compose], to: rule,
      bad: [
        compose.with("ONTHEMAP_ALLOW_FEEDS: /keys/public/feeds\n", replacedBy: "\n"),
        compose.with("\"worker-key:/keys/worker:ro\"", replacedBy: "\"ingest-key:/keys/ingest:ro\""),
        compose.with("ONTHEMAP_KEY_FILE: /keys/feed/key", replacedBy: "ONTHEMAP_ALLOW_PLAINTEXT: feed"),
      ])
  }

  @Test(
    "Compose's key script makes every key and allowlist, and a second run keeps them",
    .enabled(if: Program.onthemap != nil, "the program is not built here: make build"))
  func keyScript() throws {
    let program = try #require(Program.onthemap)
    let shell = try #require(Program("sh"))
    func rule(_ file: DeployFile) throws -> [String] {
      let lines = (file.text.components(separatedBy: "      - |\n").last ?? "").split(separator: "\n")
      let script = lines.prefix { $0.hasPrefix("        ") }.joined(separator: "\n")
      return try Deployment.withFolder { folder in
        let keys = folder.appending(path: "keys").path
        for name in ["ingest", "worker", "feed", "gateway", "public"] {
          try FileManager.default.createDirectory(atPath: "\(keys)/\(name)", withIntermediateDirectories: true)
        }
        let text = script.replacingOccurrences(of: "$$", with: "$").replacingOccurrences(of: "/keys/", with: keys + "/")
          .replacingOccurrences(of: "onthemap keys", with: "'\(program.path)' keys")
        func state() -> [String] {
          [
            "ingest/key", "worker/key", "feed/key", "gateway/key", "public/ingest", "public/workers", "public/feeds",
            "public/gateways",
          ].map { (try? String(contentsOfFile: "\(keys)/\($0)", encoding: .utf8)) ?? "" }
        }
        let (status, output) = try shell.run("-euc", text)
        let first = state()
        guard status == 0, !first.contains(""), first[5].hasSuffix(" worker\n"), first[6].hasSuffix(" feed\n"),
          first[7].hasSuffix(" gateway\n")
        else {
          return ["it made \(first.map(\.count)): \(output)"]
        }
        return try shell.run("-euc", text).status == 0 && state() == first ? [] : ["a second run replaces the keys."]
      }
    }
    try enforce(
      [compose], to: rule,
      bad: [
        compose.with("[ -e \"/keys/$$role/key\" ] || ", replacedBy: ""),
        compose.with("keys show", replacedBy: "keys shw"),
        compose.with("for role in ingest", replacedBy: "for role in a"),
      ])
  }

  @Test("compose.yaml is valid YAML")
  func yaml() throws {
    let python = try #require(Program.venvPython)
    try enforce([compose], to: { try refusal(of: $0, by: python) }, bad: [DeployFile("a", "a: [1\nb: 2")])
  }

  private func refusal(of file: DeployFile, by python: Program) throws -> [String] {
    let script = "import sys, yaml; yaml.safe_load(sys.argv[1])"
    let (status, output) = try python.run("-c", script, file.text)
    return status == 0 ? [] : [output]
  }

  @Test("Docker accepts compose.yaml", .enabled(if: Program.docker != nil, "docker compose is not installed"))
  func configuration() throws {
    let docker = try #require(Program.docker)
    try enforce(
      [compose],
      to: { file in
        try Deployment.withFolder { folder in
          let path = folder.appending(path: "compose.yaml")
          try Data(file.text.utf8).write(to: path)
          let (status, output) = try docker.run("compose", "-f", path.path, "config", "--quiet")
          return status == 0 ? [] : [output]
        }
      }, bad: [compose.with("services:", replacedBy: "servces:")])
  }
}

@Suite("Example settings file")
struct SettingTests {
  private let example = DeployFile("deploy/onthemap.env.example")
  private let others = Deployment.files.filter { $0.path != "deploy/onthemap.env.example" }

  private static func names(in file: DeployFile) -> Set<String> {
    Set(file.matches(of: #"\b(ONTHEMAP(?:_[A-Z]+)+)\b"#))
  }

  @Test("Every setting named in deploy/ is explained in the example file")
  func explained() {
    let known = Self.names(in: example)
    enforce(
      others, to: { Self.names(in: $0).subtracting(known).sorted().map { "\($0) is not in onthemap.env.example." } },
      bad: [DeployFile("deploy/a.service", "Environment=ONTHEMAP_NOWHERE=1")])
  }

  @Test("Every setting of the example file is in deploy/Settings.md")
  func listed() {
    let listed = Self.names(in: DeployFile("deploy/Settings.md"))
    enforce(
      [example], to: { Self.names(in: $0).subtracting(listed).sorted().map { "\($0) is not in the table." } },
      bad: [DeployFile("deploy/onthemap.env.example", "#ONTHEMAP_NOWHERE=1")])
  }

  @Test("The example file lists exactly the settings that the program reads")
  func read() {
    func rule(_ file: DeployFile) -> [String] {
      let read = ["Ingest", "Mail", "Worker", "Feed", "Gateway", "Others"]
        .map { Self.names(in: DeployFile("Sources/Commands/Settings/Table/Setting+\($0).swift")) }
        .reduce(into: Set<String>()) { $0.formUnion($1) }
      let shown = Self.names(in: file)
      return read.subtracting(shown).sorted().map { "\($0) is missing." }
        + shown.subtracting(read).sorted().map { "nothing reads \($0)." }
    }
    enforce(
      [example], to: rule,
      bad: [
        example.with("#ONTHEMAP_JOBS=", replacedBy: "#ONTHEMAP_WORK="),
        example.with("#ONTHEMAP_JOBS=", replacedBy: "#"),
      ])
  }

  @Test("The unchanged example file sets nothing, and explains each setting once")
  func commented() {
    func rule(_ file: DeployFile) -> [String] {
      var isExplained = false
      var seen: Set<Substring> = []
      return file.lines.compactMap { line in
        if line.hasPrefix("#ONTHEMAP_") {
          let name = line.dropFirst().prefix { $0 != "=" }
          guard line.contains("=") else { return "\(line): no value is shown." }
          guard seen.insert(name).inserted else { return "\(name) is there twice." }
          return isExplained ? nil : "\(name) is not explained."
        }
        isExplained = line.hasPrefix("# ")
        return line.isEmpty || line == "#" || isExplained ? nil : "\(line): the unchanged file must set nothing."
      }
    }
    enforce(
      [example], to: rule,
      bad: ["ONTHEMAP_DATA=a", "#ONTHEMAP_DATA=a", "# A\n#ONTHEMAP_DATA", "# A\n#ONTHEMAP_A=1\n# A\n#ONTHEMAP_A=1"]
        .map { DeployFile("a", $0) })
  }

  @Test("No file of deploy/ holds a secret")
  func secrets() {
    let value = #"(\w*(?:PASSWORD|TOKEN|SECRET)(?!_FILE|_HASHES)\w*[=:][ \t]*[^\s$].*)$"#
    enforce(
      Deployment.files, to: { $0.matches(of: value).map { "\($0): name a file that holds it." } },
      bad: [DeployFile("a", "ONTHEMAP_PASSWORD=abc"), DeployFile("a", "  API_TOKEN: abc")])
  }
}
