import Domain
import Feed
import Foundation
import Glibc
import Ingest
import Messaging

/// Checks of the addresses that a process binds.
struct AddressChecks: Sendable {
  let plan: ServicePlan
  /// True if this service already runs on this host.
  let isRunning: Bool
  /// Code of the running service that does not serve yet, as a standby. Nil for any other service.
  var waiting: String?

  func run() async -> [Check] {
    await withTaskGroup(of: [Check].self) { group in
      for (id, host, port) in plan.http {
        group.addTask { [await http(id, host, port)] }
      }
      if let (host, port) = plan.operations {
        group.addTask { [operations(await http("address-operations", host, port), host, port)] }
      }
      for (link, endpoint) in plan.listening {
        group.addTask { [await linkCheck("address-\(link)", endpoint)] }
      }
      if let admin = plan.ingest?.admin {
        group.addTask { [await linkCheck("address-admin", admin)] }
      }
      var checks: [Check] = []
      for await found in group { checks += found }
      return checks.sorted { $0.id < $1.id }
    }
  }

  private func http(_ id: String, _ host: String, _ port: Int) async -> Check {
    let address = "\(authority(host)):\(port)"
    guard port != 0 else { return .ok(id, "\(address) selects a free port") }
    guard let binding = await bounded(DoctorLimits.connectTimeout, { TCPProbe.bind(host: host, port: port) }) else {
      return .notChecked(id, "the name \(host) has no answer in time")
    }
    return judge(id, address, binding, portRemedy: "ss -ltnp 'sport = :\(port)'")
  }

  /// Returns the result for the address for operators. The default address is only a preference.
  private func operations(_ check: Check, _ host: String, _ port: Int) -> Check {
    let address = "\(authority(host)):\(port)"
    switch check.verdict {
    case .warning: return .ok(check.id, "\(address) is free")
    case .failure where !plan.hasOperationsSet:
      return .warning(
        check.id, "\(check.finding), so the service uses a free port",
        remedy: "Set an address that Prometheus can scrape (deploy/Monitor.md)")
    default: return check
    }
  }

  private func linkCheck(_ id: String, _ endpoint: Endpoint) async -> Check {
    if let path = endpoint.path {
      let isInUse = await bounded(DoctorLimits.connectTimeout) { TCPProbe.connect(path: path) == .connected }
      return judge(
        id, endpoint.description, isInUse == true ? .inUse : .free, portRemedy: "ss -lxp src '\(path)'")
    }
    guard let (_, port) = endpoint.hostAndPort else { return .ok(id, "\(endpoint) selects a free port") }
    guard plan.canProbeLinks else { return .notChecked(id, "doctor has too few file descriptors for libzmq") }
    let found = await bounded(DoctorLimits.connectTimeout) { Result { try LinkProbe.bind(endpoint) } }
    switch found {
    case .success(.free)?: return judge(id, endpoint.description, .free, portRemedy: "")
    case .success(.inUse)?:
      return judge(id, endpoint.description, .inUse, portRemedy: "ss -ltnp 'sport = :\(port)'")
    case .success(.unusable(let reason))?:
      return judge(id, endpoint.description, .unusable(reason.lowercased()), portRemedy: "")
    case .failure(let error)?: return .notChecked(id, "\(error)")
    case nil: return .notChecked(id, "\(endpoint) has no answer in time")
    }
  }

  /// Returns the result for the outcome of a bind.
  ///
  /// - Parameter portRemedy: Command that shows the program with the address.
  func judge(_ id: String, _ address: String, _ binding: TCPProbe.Binding, portRemedy: String) -> Check {
    switch binding {
    case .free where isRunning:
      .warning(
        id, "the service runs, but does not listen at \(address)", remedy: "Restart it to apply its settings")
    case .free: .ok(id, "\(address) is free")
    case .inUse where isRunning: .ok(id, "the running service listens at \(address)")
    case .inUse: inUse(id, address, portRemedy)
    case .unusable(let reason):
      .failure(id, "\(address) cannot be bound: \(reason)", remedy: "Set an address of this host")
    }
  }

  /// Returns the result for an address in use, unless the service serves.
  private func inUse(_ id: String, _ address: String, _ portRemedy: String) -> Check {
    guard let waiting else {
      return .failure(
        id, "another program listens at \(address)", remedy: "Find it with: \(portRemedy). Stop it, or set another port"
      )
    }
    // A standby has bound only this address. Another one may be that of systemd's socket or of another program.
    guard id == "address-operations" else {
      return .notChecked(id, "\(address) is in use, and the running service does not serve yet (\(waiting))")
    }
    return .ok(id, "the running service listens at \(address) (\(waiting))")
  }
}
