import Domain
import Feed
import Foundation
import Glibc
import Ingest
import Messaging
import SQLiteStore
import Worker

/// All checks of one service.
struct Diagnosis: Sendable {
  private let plan: ServicePlan
  /// The values of the settings that the service uses, by their names, without secrets.
  private let values: [String: String]
  private let keys: KeyChecks
  /// HTTP address of ingest by this host's settings. Nil if ingest is on another host.
  private let ingestURL: String?

  /// Prepares the process and the checks. Reads the key files that this host's settings name.
  init(_ plan: ServicePlan, _ settings: Settings) {
    let values = Dictionary(settings.effective.map { ($0.name, $0.text) }, uniquingKeysWith: { $1 })
    var plan = plan
    raiseDescriptorLimit()
    plan.canProbeLinks = ProcessLimits(process: "self").map { $0.descriptors >= DoctorLimits.descriptorsOwn } ?? true
    plan.hasOperationsSet = settings.chosenOperations != nil
    plan.gazetteerBytes = values[Setting.gazetteer.name].map(Diagnosis.size(of:)) ?? 0
    self.plan = plan
    self.values = values
    keys = KeyChecks(
      plan: plan, keyFile: values[Setting.keyFile.name], expectations: Diagnosis.expectations(plan, settings))
    let isLocal = !plan.ingestLinks.isEmpty && plan.ingestLinks.allSatisfy(\.isLocal)
    let address = try? settings.address(.http, flag: nil)
    ingestURL = isLocal ? address.map { "http://\(HealthChecks.local($0.host)):\($0.port)" } : nil
  }

  /// Runs the checks: those of this host one after the other, and those of the network in parallel.
  func run() async -> [Check] {
    let folder = plan.databaseFolder.map { DataFolder($0) }
    let isRunning = await isRunning(folder)
    let waiting = await waiting(folder, isRunning: isRunning)
    let holder = isRunning ? folder.flatMap { LockHolder(of: $0.lock) } : nil
    async let links = LinkChecks(plan: plan).run()
    async let health = HealthChecks(
      plan: plan, isRunning: isRunning, waiting: waiting, ingestURL: ingestURL
    ).run()
    async let providers = ProviderChecks(values, hasFacebook: plan.ingest?.facebook != nil).run()
    async let mail = MailCheck.run(plan.ingest?.mail)
    async let addresses = AddressChecks(plan: plan, isRunning: isRunning, waiting: waiting).run()
    async let store = StoreChecks.run(plan.store)
    var checks: [Check] = []
    if let path = plan.databaseFolder { checks += await DataFolderChecks(path: path).run() }
    checks += await store
    if !plan.isAll, let data = plan.feed?.data { checks.append(await Diagnosis.feedFolder(data)) }
    checks += await SoftwareChecks(plan: plan).run()
    checks += LimitChecks(plan: plan, running: holder?.pid).run()
    checks += [ClockState.check(ClockState.current())] + keys.run()
    checks += await addresses
    checks += await links
    checks += await health
    // After the check of the addresses, because a check of the proxies binds one of them.
    if let gateway = plan.gateway { checks.append(ProxyChecks.trusted(gateway)) }
    if let ingest = plan.ingest {
      checks += await ProxyChecks(ingest: ingest, isRunning: isRunning, isWaiting: waiting != nil).run()
    }
    return checks + (await providers) + (await mail)
  }

  /// Returns true if this service already runs on this host: by ingest's lock, the HTTP address, or the
  /// operations address of a worker or gateway.
  private func isRunning(_ folder: DataFolder?) async -> Bool {
    if let isInUse = folder?.isInUse { return isInUse }
    // A gateway forwards requests for its health to ingest, so only its operations address is its own.
    if plan.gateway == nil, let (_, host, port) = plan.http.first, port != 0 {
      let reply = try? await HealthChecks.get("http://\(HealthChecks.local(host)):\(port)/livez").get()
      return reply?.status == 204
    }
    guard let (host, port) = plan.operations, port != 0 else { return false }
    let reply = try? await HealthChecks.get("http://\(HealthChecks.local(host)):\(port)/metrics").get()
    return reply?.body.contains("onthemap_build_info") ?? false
  }

  /// Returns the code of a running ingest that does not serve yet, as a standby. It has only its operations address.
  /// Nil for any other service.
  private func waiting(_ folder: DataFolder?, isRunning: Bool) async -> String? {
    guard !isRunning, folder?.isInUse == nil, plan.ingest != nil, let (host, port) = plan.operations, port != 0 else {
      return nil
    }
    return await HealthChecks.refusal(host, port)
  }

  /// Checks that a feed can save its list. Without the file, a feed without ingest starts with no list.
  private static func feedFolder(_ path: String) async -> Check {
    let id = "feed-folder"
    let remedy = "Make the folder writable for the feed's user, or set ONTHEMAP_FEED_DATA"
    let found: Result<SyncTrial, SyncTrial.Failure>? = await bounded(DoctorLimits.diskTimeout) {
      do throws(SyncTrial.Failure) {
        return .success(try SyncTrial(folder: DataFolderChecks.nearest(path)))
      } catch { return .failure(error) }
    }
    return switch found {
    case .success?: .ok(id, "the feed can save its list in \(path)")
    case .failure(let failure)?: .warning(id, failure.description, remedy: remedy)
    case nil: .warning(id, "the disk of \(path) did not answer in time", remedy: remedy)
    }
  }

  /// Returns the settings of this host about the process's own key. A file that cannot be read has no expectation.
  private static func expectations(
    _ plan: ServicePlan, _ settings: Settings
  ) -> [(title: String, KeyChecks.Expectation)] {
    var found: [(title: String, KeyChecks.Expectation)] = []
    func key(_ setting: Setting) {
      let key = try? settings.publicKey(setting, flag: nil)
      if let key { found.append((setting.name, .publicKey(key))) }
    }
    func list(_ setting: Setting) {
      guard let path = settings.optional(setting, flag: nil), let text = try? KeyFile.text(path),
        let list = try? AllowList(text)
      else { return }
      found.append((setting.name, .allowList(list)))
    }
    if let ingest = plan.ingest, ingest.usesKeys {
      key(.ingestKey)
      key(.submitKey)
    }
    if plan.feed?.publishCurve != nil { key(.feedKey) }
    if !plan.isAll, plan.feed?.ingestCurve != nil { list(.allowFeeds) }
    if plan.worker?.curve != nil { list(.allowWorkers) }
    if plan.gateway?.curve != nil { list(.allowGateways) }
    return found
  }

  private static func size(of path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }
}
