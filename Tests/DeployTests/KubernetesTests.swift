import Foundation
import Testing

@Suite("Manifests for Kubernetes")
struct KubernetesTests {
  private static let manifests = Deployment.files.filter {
    $0.path.hasPrefix("deploy/kubernetes/") && $0.path.hasSuffix(".yaml")
  }
  private static let settings = DeployFile("deploy/kubernetes/settings.env")
  private static let ingest = DeployFile("deploy/kubernetes/ingest.yaml")
  private static let gateway = DeployFile("deploy/kubernetes/gateway.yaml")
  private static let network = DeployFile("deploy/kubernetes/network.yaml")
  private static let roles = ["ingest", "worker", "feed", "gateway"]
  private static let pods = manifests.filter { roles.contains($0.role) }

  @Test("Every manifest is valid YAML, and the kustomization lists it")
  func files() throws {
    let python = try #require(Program.venvPython)
    let kustomization = DeployFile("deploy/kubernetes/kustomization.yaml")
    let listed = Set(kustomization.matches(of: #"^  - ([a-z]+\.yaml)$"#) + [kustomization.name])
    try enforce(
      Self.manifests,
      to: { file in
        let script = "import sys, yaml; list(yaml.safe_load_all(sys.argv[1]))"
        let (status, output) = try python.run("-c", script, file.text)
        return (status == 0 ? [] : [output]) + (listed.contains(file.name) ? [] : ["it is not in kustomization.yaml."])
      },
      bad: [
        Self.network.with("- from: [", replacedBy: "- from: "), DeployFile("deploy/kubernetes/other.yaml", "a: b"),
      ])
  }

  @Test("kubectl builds the manifests", .enabled(if: Program.kubectl != nil, "kubectl kustomize is not installed"))
  func built() throws {
    let kubectl = try #require(Program.kubectl)
    try enforce(
      [Self.network],
      to: { file in
        try Deployment.withFolder { folder in
          for source in Self.manifests + [Self.settings] {
            let text = source.path == file.path ? file.text : source.text
            try Data(text.utf8).write(to: folder.appending(path: source.name))
          }
          let (status, output) = try kubectl.run("kustomize", folder.path)
          return status == 0 ? [] : [output]
        }
      }, bad: [Self.network.with("name: deny-all", replacedBy: "name: worker")])
  }

  @Test("Every pod runs one role unprivileged, with its own key and health checks on its operations address")
  func unprivileged() {
    let expected = [
      "runAsNonRoot: true", "runAsUser: 10001", "seccompProfile: {type: RuntimeDefault}",
      "allowPrivilegeEscalation: false", "readOnlyRootFilesystem: true", "capabilities: {drop: [ALL]}",
      "automountServiceAccountToken: false", "enableServiceLinks: false", "image: onthemap",
      "envFrom: [{configMapRef: {name: settings}}]", "readinessProbe:",
      "livenessProbe:\n            httpGet: {path: /livez, port: operations}",
    ]
    func rule(_ file: DeployFile) -> [String] {
      let role = file.role
      let own = ["args: [\(role)]", "secret: {secretName: \(role)-key, defaultMode: 0400}"]
      return (expected + own).filter { !file.text.contains($0) }.map { "\($0) is missing." }
        + (file.matches(of: #"secretName: "#).count == 1 ? [] : ["it has other secrets."])
    }
    #expect(Self.pods.count == Self.roles.count)
    enforce(
      Self.pods, to: rule,
      bad: expected.map { Self.gateway.with($0, replacedBy: "") } + [
        Self.gateway.with("gateway-key", replacedBy: "ingest-key"),
        Self.gateway.with("args: [gateway]", replacedBy: "args: [feed]"),
      ])
  }

  @Test("Every pod has the memory limit of its systemd unit")
  func memory() {
    let limits = Dictionary(
      uniqueKeysWithValues: Deployment.services.map { ($0.role, $0.matches(of: #"^MemoryMax=([\d.]+G)$"#)) })
    func rule(_ file: DeployFile) -> [String] {
      let found = file.matches(of: #"^ +limits: \{memory: ([\d.]+G)i\}$"#)
      return found == limits[file.role] ? [] : ["its limit is \(found)."]
    }
    enforce(Self.pods, to: rule, bad: [Self.gateway.with("memory: 2Gi", replacedBy: "memory: 1Gi")])
  }

  @Test("Every port of a pod belongs to a setting, and a policy allows each port by its name")
  func ports() {
    let addresses = Set(Self.settings.matches(of: #"^ONTHEMAP_\w+=(?:tcp://)?0\.0\.0\.0:(\d+)$"#))
    #expect(addresses.count == 11)
    let allowed = Set(Self.network.matches(of: #"\{port: ([a-z]+)\}"#))
    func rule(_ file: DeployFile) -> [String] {
      let names = file.matches(of: #"^ +- \{name: ([a-z]+), containerPort: \d+\}$"#)
      let numbers = file.matches(of: #"^ +- \{name: [a-z]+, containerPort: (\d+)\}$"#)
      var errors = names.isEmpty ? ["it has no port."] : []
      errors += numbers.filter { !addresses.contains($0) }.map { "no setting binds \($0)." }
      errors += names.filter { !allowed.contains($0) }.map { "no policy allows \($0)." }
      return errors
    }
    enforce(
      Self.pods, to: rule,
      bad: [
        Self.gateway.with("containerPort: 8090", replacedBy: "containerPort: 8080"),
        Self.ingest.with("name: gateways, containerPort", replacedBy: "name: doors, containerPort"),
      ])
  }

  @Test("Ingest has one replica on a volume of one pod, and its Service includes an ingest that is not ready")
  func single() {
    let expected = [
      "kind: StatefulSet", "replicas: 1", "accessModes: [ReadWriteOncePod]", "publishNotReadyAddresses: true",
    ]
    enforce(
      [Self.ingest], to: { file in expected.filter { !file.text.contains($0) }.map { "\($0) is missing." } },
      bad: expected.map { Self.ingest.with($0, replacedBy: "") })
  }

  @Test("A gateway stays in use for longer than it holds requests")
  func patience() throws {
    let held = try #require(DeployFile.limits.matches(of: #"let gatewayHoldMs: Int64 = ([\d_]+)$"#).first)
    let heldMs = try #require(Int(held.filter { $0 != "_" }))
    func rule(_ file: DeployFile) -> [String] {
      let probe = file.text.components(separatedBy: "readinessProbe:").last ?? ""
      func number(_ name: String) -> Int {
        DeployFile(file.path, probe).matches(of: #"^ +\#(name): (\d+)$"#).first.flatMap { Int($0) } ?? 0
      }
      let patienceMs = number("periodSeconds") * number("failureThreshold") * 1_000
      return patienceMs > heldMs ? [] : ["it is out of use after \(patienceMs) ms, and holds requests \(heldMs) ms."]
    }
    enforce(
      [Self.gateway], to: rule,
      bad: [Self.gateway.with("failureThreshold: 4", replacedBy: "failureThreshold: 3")])
  }
}
