import Foundation
import Testing

@Suite("Deployments with PostgreSQL")
struct PostgresDeploymentTests {
  private static let overlay = Deployment.files.filter { $0.path.hasPrefix("deploy/kubernetes-postgresql/") }
  private static let base = Deployment.files.filter { $0.path.hasPrefix("deploy/kubernetes/") }
  private static let ingest = DeployFile("deploy/kubernetes-postgresql/ingest.yaml")
  private static let compose = DeployFile("deploy/compose.postgres.yaml")

  /// Returns what kubectl builds from the overlay, with one of its files replaced.
  private func built(with file: DeployFile, by kubectl: Program) throws -> (status: Int32, output: String) {
    try Deployment.withFolder { folder in
      for source in Self.base + Self.overlay {
        let text = source.path == file.path ? file.text : source.text
        let target = folder.appending(path: source.path)
        try FileManager.default.createDirectory(
          at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: target)
      }
      return try kubectl.run("kustomize", folder.appending(path: "deploy/kubernetes-postgresql").path)
    }
  }

  @Test(
    "Kubernetes runs a leader and a standby without a volume, and a standby blocks no rollout",
    .enabled(if: Program.kubectl != nil, "kubectl kustomize is not installed"))
  func overlay() throws {
    let kubectl = try #require(Program.kubectl)
    try enforce(
      [Self.ingest],
      to: { file in
        let (status, output) = try built(with: file, by: kubectl)
        guard status == 0 else { return [output] }
        let documents = output.components(separatedBy: "\n---\n")
        let ingest = documents.first { $0.contains("kind: StatefulSet") && $0.contains("name: ingest") } ?? ""
        var faults: [String] = []
        if !ingest.contains("replicas: 2") { faults.append("ingest has no standby.") }
        if ingest.contains("volumeClaimTemplates") { faults.append("ingest has a volume for SQLite.") }
        if !ingest.contains("podManagementPolicy: Parallel") { faults.append("a standby waits for the leader.") }
        let probe = ingest.components(separatedBy: "readinessProbe:").dropFirst().first?.prefix(200) ?? ""
        if !probe.contains("path: /livez") { faults.append("a rollout waits until a standby is ready.") }
        return faults
      },
      bad: [
        Self.ingest.with("replicas: 2", replacedBy: "replicas: 1"),
        Self.ingest.with("podManagementPolicy: Parallel", replacedBy: "podManagementPolicy: OrderedReady"),
        Self.ingest.with("{path: /livez, port: operations}", replacedBy: "{path: /readyz, port: operations}"),
      ])
  }

  @Test("The standby of compose has the limits of ingest, its key and its health check, and publishes no port")
  func standby() {
    let expected = [
      "command: [ingest]", "read_only: true", "cap_drop: [ALL]", "no-new-privileges:true", "pids_limit: 256",
      "nofile: {soft: 65536, hard: 65536}", "mem_limit: 2.5g", "restart: unless-stopped", "healthcheck: *healthcheck",
      "ONTHEMAP_KEY_FILE: /keys/ingest/key", "<<: *ingest",
    ]
    func rule(_ file: DeployFile) -> [String] {
      let service = file.text.components(separatedBy: "\n  standby:\n").dropFirst().first ?? ""
      let standby = service.components(separatedBy: "\n\n  ").first ?? ""
      let missing = expected.filter { !standby.contains($0) }.map { "the standby lacks \($0)." }
      return missing + (standby.contains("ports:") ? ["the standby publishes a port."] : [])
    }
    enforce(
      [Self.compose], to: rule,
      bad: [
        Self.compose.with("    read_only: true\n", replacedBy: ""),
        Self.compose.with("    mem_limit: 2.5g\n", replacedBy: "    mem_limit: 1g\n"),
        Self.compose.with("    pids_limit: 256\n", replacedBy: "    pids_limit: 256\n    ports: [\"8080:8080\"]\n"),
      ])
  }

  @Test("Every manifest and compose file for PostgreSQL is valid YAML")
  func files() throws {
    let python = try #require(Program.venvPython)
    try enforce(
      [Self.compose] + Self.overlay.filter { $0.path.hasSuffix(".yaml") },
      to: { file in
        let script = "import sys, yaml; list(yaml.safe_load_all(sys.argv[1]))"
        let (status, output) = try python.run("-c", script, file.text)
        return status == 0 ? [] : [output]
      }, bad: [Self.compose.with("secrets: [store]", replacedBy: "secrets: [store")])
  }
}
