import ArgumentParser
import Domain
import Ingest
import Messaging
import Testing

@testable import Commands

@Suite("Doctor: standby")
struct StandbyCheckTests {
  @Test(
    "A refusal of readiness by a service has its code, and another program's response has none",
    arguments: [
      (503, #"{"type":"urn:onthemap:problem:standby","status":503}"#, "standby"),
      (503, #"{"type":"urn:onthemap:problem:store_unavailable"}"#, "store_unavailable"),
      (503, #"{"code":"standby"}"#, nil), (503, "standby", nil),
      (200, #"{"type":"urn:onthemap:problem:standby"}"#, nil),
    ] as [(Int, String, String?)])
  func refusals(status: Int, body: String, code: String?) {
    #expect(HealthChecks.refusal(HTTPProbe.Reply(status: status, body: body)) == code)
  }

  @Test("The operations address of a standby is in use by the running service, and its other addresses are free")
  func addresses() async throws {
    let keys = try LinkKeys(await Settings(CommonOptions.parse([])), keyFile: nil)
    let checks = AddressChecks(plan: ServicePlan(keys: keys), isRunning: false, waiting: "standby")
    func judge(_ id: String, _ binding: TCPProbe.Binding) -> Check {
      checks.judge(id, "127.0.0.1:1", binding, portRemedy: "ss")
    }
    let operations = judge("address-operations", .inUse)
    #expect(operations == .ok("address-operations", "the running service listens at 127.0.0.1:1 (standby)"))
    #expect(judge("address-http", .free).verdict == .ok)
    #expect(judge("address-http", .inUse).verdict == .notChecked)
    #expect(judge("address-http", .unusable("unknown host")).verdict == .failure)
  }

  @Test("The health of a service that does not serve yet is not checked, and its code is in the finding")
  func health() async throws {
    let keys = try LinkKeys(await Settings(CommonOptions.parse([])), keyFile: nil)
    var plan = ServicePlan(keys: keys)
    plan.gateway = GatewayConfiguration(ingest: [], host: "127.0.0.1", port: 1)
    let checks = await HealthChecks(plan: plan, isRunning: false, waiting: "standby", ingestURL: nil).run()
    let text = "the running service does not serve yet (standby)"
    #expect(checks.first == .notChecked("health-gateway-http", text))
  }
}
