import Domain
import Testing

@Suite("Held requests")
struct HeldRequestsTests {
  private static let first: HeldRequests.Connection = [1]
  private static let second: HeldRequests.Connection = [2]

  /// Returns held requests with a connection at time 0. The first Hello is sent.
  private static func connected() -> HeldRequests {
    var held = HeldRequests(nowMs: 0)
    #expect(held.tick(nowMs: 0) == [.hello])
    #expect(held.welcome(first, nowMs: 0) == [.turnedAvailable(true)])
    return held
  }

  @Test("A request waits for the first Welcome, and is then sent")
  func waitsForWelcome() {
    var held = HeldRequests(nowMs: 0)
    held.add(2, isRepeatable: true, nowMs: 0)
    #expect(held.tick(nowMs: 0) == [.hello])
    #expect(held.welcome(Self.first, nowMs: 10) == [.turnedAvailable(true)])
    #expect(held.tick(nowMs: 10) == [.send(2)])
    #expect(held.tick(nowMs: 20) == [])
    #expect(held.complete(2, nowMs: 20) == true)
    #expect(held.count == 0)
  }

  @Test("A request without a connection fails after the hold, and not a millisecond earlier")
  func endsAfterHold() {
    var held = HeldRequests(nowMs: 0)
    held.add(2, isRepeatable: true, nowMs: 0)
    let effects1 = held.tick(nowMs: Limits.gatewayHoldMs - 1)
    #expect(!effects1.contains(.fail(2, .unavailable)))
    let effects2 = held.tick(nowMs: Limits.gatewayHoldMs)
    #expect(effects2.contains(.fail(2, .unavailable)))
    #expect(held.count == 0)
  }

  @Test("A new connection repeats a repeatable request, and ends every other one with an unknown outcome")
  func repeatsAfterLoss() {
    var held = Self.connected()
    held.add(2, isRepeatable: true, nowMs: 1)
    held.add(4, isRepeatable: false, nowMs: 1)
    #expect(held.tick(nowMs: 1) == [.send(2), .send(4)])
    #expect(held.welcome(Self.second, nowMs: 100) == [.fail(4, .unknownOutcome)])
    #expect(held.tick(nowMs: 100) == [.send(2)])
    #expect(held.complete(2, nowMs: 110) == true)
  }

  @Test("A Welcome with the same connection repeats nothing")
  func sameConnection() {
    var held = Self.connected()
    held.add(2, isRepeatable: true, nowMs: 1)
    #expect(held.tick(nowMs: 1) == [.send(2)])
    #expect(held.welcome(Self.first, nowMs: 100) == [])
    #expect(held.tick(nowMs: 100) == [])
  }

  @Test("The end of the waits asks ingest for the replies of sent requests, now and later")
  func endWaits() {
    var held = Self.connected()
    held.add(2, isRepeatable: true, nowMs: 1)
    #expect(held.tick(nowMs: 1) == [.send(2)])
    #expect(held.endWaits() == [.endWait(2)])
    #expect(held.holds)
    held.add(4, isRepeatable: true, nowMs: 2)
    #expect(held.tick(nowMs: 2) == [.send(4), .endWait(4)])
    #expect(held.complete(2, nowMs: 3) == true)
  }

  @Test("After the end of the waits, a request without a connection fails")
  func endWaitsWithoutConnection() {
    var held = HeldRequests(nowMs: 0)
    held.add(2, isRepeatable: false, nowMs: 0)
    #expect(held.tick(nowMs: 0) == [.hello])
    #expect(held.endWaits() == [])
    #expect(!held.holds)
    #expect(held.tick(nowMs: 1) == [.fail(2, .unavailable)])
    held.add(4, isRepeatable: true, nowMs: 2)
    #expect(held.tick(nowMs: 2) == [.fail(4, .unavailable)])
    #expect(held.count == 0)
  }

  @Test("After the end of the waits, a lost connection ends its requests with an unknown outcome")
  func endWaitsThenLoss() {
    var held = Self.connected()
    held.add(2, isRepeatable: true, nowMs: 1)
    held.add(4, isRepeatable: false, nowMs: 1)
    #expect(held.tick(nowMs: 1) == [.send(2), .send(4)])
    #expect(held.endWaits() == [.endWait(2), .endWait(4)])
    let effects = held.tick(nowMs: Limits.gatewaySilenceMs)
    #expect(effects.contains(.fail(4, .unknownOutcome)) && effects.contains(.fail(2, .unknownOutcome)))
    #expect(held.count == 0)
  }

  @Test("The hold starts again when a sent request loses its connection, and then ends with an unknown outcome")
  func holdBeginsAnew() {
    var held = Self.connected()
    held.add(2, isRepeatable: true, nowMs: 0)
    #expect(held.tick(nowMs: 0) == [.send(2)])
    // Ingest waits for the post's outcome for 20 s, and is alive.
    for nowMs in stride(from: Limits.gatewayHelloMs, through: 20_000, by: Int64.Stride(Limits.gatewayHelloMs)) {
      #expect(held.tick(nowMs: nowMs) == [.hello])
      #expect(held.welcome(Self.first, nowMs: nowMs) == [])
    }
    let lostMs = 20_000 + Limits.gatewaySilenceMs
    #expect(held.tick(nowMs: lostMs) == [.turnedAvailable(false), .reconnect, .hello])
    let effects3 = held.tick(nowMs: lostMs + Limits.gatewayHoldMs - 1)
    #expect(!effects3.contains(.fail(2, .unknownOutcome)))
    let effects4 = held.tick(nowMs: lostMs + Limits.gatewayHoldMs)
    #expect(effects4.contains(.fail(2, .unknownOutcome)))
  }

  @Test("Silence ends the connection, and requests that are not repeatable")
  func silence() {
    var held = Self.connected()
    held.add(4, isRepeatable: false, nowMs: 0)
    #expect(held.tick(nowMs: 0) == [.send(4)])
    #expect(held.tick(nowMs: Limits.gatewaySilenceMs - 1) == [.hello])
    #expect(
      held.tick(nowMs: Limits.gatewaySilenceMs)
        == [.turnedAvailable(false), .fail(4, .unknownOutcome), .reconnect, .hello])
    #expect(!held.isAvailable)
  }

  @Test("A request that could not be sent is sent again after a pause")
  func unsent() {
    var held = Self.connected()
    held.add(4, isRepeatable: false, nowMs: 1)
    #expect(held.tick(nowMs: 1) == [.send(4)])
    held.recordUnsent(4, nowMs: 1)
    #expect(held.tick(nowMs: Limits.gatewayRetryMs) == [])
    #expect(held.tick(nowMs: 1 + Limits.gatewayRetryMs) == [.send(4)])
  }

  @Test("A request on a stale connection is sent again after the next Welcome, even if it is not repeatable")
  func staleConnection() {
    var held = Self.connected()
    held.add(4, isRepeatable: false, nowMs: 1)
    #expect(held.tick(nowMs: 1) == [.send(4)])
    #expect(held.refuse(4, .staleConnection, on: Self.first, nowMs: 2) == [.turnedAvailable(false)])
    #expect(held.tick(nowMs: 2) == [.hello])
    #expect(held.welcome(Self.second, nowMs: 3) == [.turnedAvailable(true)])
    #expect(held.tick(nowMs: 3) == [.send(4)])
  }

  @Test("A late refusal on an earlier connection does not repeat a request that was sent again")
  func lateRefusal() {
    var held = Self.connected()
    held.add(2, isRepeatable: true, nowMs: 1)
    #expect(held.tick(nowMs: 1) == [.send(2)])
    #expect(held.welcome(Self.second, nowMs: 2) == [])
    #expect(held.tick(nowMs: 2) == [.send(2)])
    #expect(held.refuse(2, .staleConnection, on: Self.first, nowMs: 3) == [])
    #expect(held.tick(nowMs: 3) == [])
    #expect(held.isAvailable)
  }

  @Test("A request that ingest refuses at its shutdown waits for the next run")
  func shutdown() {
    var held = Self.connected()
    held.add(4, isRepeatable: false, nowMs: 1)
    held.add(6, isRepeatable: false, nowMs: 1)
    #expect(held.tick(nowMs: 1) == [.send(4), .send(6)])
    #expect(held.refuse(6, .shutdown, on: Self.first, nowMs: 2) == [.turnedAvailable(false)])
    // Ingest still replies to the requests that it has begun.
    #expect(held.complete(4, nowMs: 3) == true)
    #expect(held.tick(nowMs: 3) == [])
    #expect(held.tick(nowMs: 2 + Limits.gatewayRetryMs) == [.hello])
    #expect(held.welcome(Self.second, nowMs: 500) == [.turnedAvailable(true)])
    let effects5 = held.tick(nowMs: 500)
    #expect(effects5.contains(.send(6)))
  }

  @Test("An ingest that refuses Hello because it is shutting down is not silent, and may still reply")
  func longShutdown() {
    var held = Self.connected()
    held.add(2, isRepeatable: false, nowMs: 1)
    #expect(held.tick(nowMs: 1) == [.send(2)])
    let refusedMs = Limits.gatewaySilenceMs - 1
    #expect(held.refuse(0, .shutdown, on: [], nowMs: refusedMs) == [.turnedAvailable(false)])
    #expect(held.tick(nowMs: Limits.gatewaySilenceMs) == [.hello])
    #expect(held.complete(2, nowMs: refusedMs + Limits.gatewaySilenceMs - 1) == true)
  }

  @Test("A busy ingest gets one request after each pause, and the others after its reply")
  func busy() {
    var held = Self.connected()
    for id in [4, 6, 8] as [HeldRequests.ID] { held.add(id, isRepeatable: false, nowMs: 1) }
    #expect(held.tick(nowMs: 1) == [.send(4), .send(6), .send(8)])
    for id in [4, 6, 8] as [HeldRequests.ID] {
      #expect(held.refuse(id, .busy, on: Self.first, nowMs: 2) == [])
    }
    #expect(held.isAvailable)
    #expect(held.tick(nowMs: 1 + Limits.gatewayRetryMs) == [])
    #expect(held.tick(nowMs: 2 + Limits.gatewayRetryMs) == [.send(4)])
    #expect(held.tick(nowMs: 3 + Limits.gatewayRetryMs) == [])
    // The pause doubles.
    let refusedMs = 3 + Limits.gatewayRetryMs
    #expect(held.refuse(4, .busy, on: Self.first, nowMs: refusedMs) == [])
    #expect(held.tick(nowMs: refusedMs + 2 * Limits.gatewayRetryMs - 1) == [])
    #expect(held.tick(nowMs: refusedMs + 2 * Limits.gatewayRetryMs) == [.send(6)])
    #expect(held.complete(6, nowMs: refusedMs + 2 * Limits.gatewayRetryMs) == true)
    #expect(held.tick(nowMs: refusedMs + 2 * Limits.gatewayRetryMs) == [.send(8), .send(4)])
  }

  @Test("A busy ingest gets the next request if the client of the probe disconnects")
  func cancelledProbe() {
    var held = Self.connected()
    held.add(4, isRepeatable: true, nowMs: 1)
    #expect(held.tick(nowMs: 1) == [.send(4)])
    #expect(held.refuse(4, .busy, on: Self.first, nowMs: 1) == [])
    #expect(held.tick(nowMs: 1 + Limits.gatewayRetryMs) == [.send(4)])
    held.add(6, isRepeatable: true, nowMs: 60)
    #expect(held.tick(nowMs: 60) == [])
    #expect(held.cancel(4) == [.cancel(4)])
    #expect(held.tick(nowMs: 60) == [.send(6)])
  }

  @Test("A busy ingest gets the probe again that could not be sent")
  func unsentProbe() {
    var held = Self.connected()
    held.add(4, isRepeatable: true, nowMs: 1)
    #expect(held.tick(nowMs: 1) == [.send(4)])
    #expect(held.refuse(4, .busy, on: Self.first, nowMs: 1) == [])
    #expect(held.tick(nowMs: 1 + Limits.gatewayRetryMs) == [.send(4)])
    held.recordUnsent(4, nowMs: 1 + Limits.gatewayRetryMs)
    #expect(held.tick(nowMs: 1 + 2 * Limits.gatewayRetryMs) == [.send(4)])
  }

  @Test("A request ends after it was sent on three connections that were lost")
  func losses() {
    var held = Self.connected()
    held.add(2, isRepeatable: true, nowMs: 0)
    for number in 1..<Limits.gatewayLossesMax {
      #expect(held.tick(nowMs: 0) == [.send(2)])
      #expect(held.welcome([9, UInt8(number)], nowMs: 0) == [])
    }
    #expect(held.tick(nowMs: 0) == [.send(2)])
    #expect(held.welcome(Self.second, nowMs: 0) == [.fail(2, .unknownOutcome)])
    #expect(held.count == 0)
  }

  @Test("A request of a client that has disconnected is cancelled at ingest only if it was sent")
  func cancellation() {
    var held = Self.connected()
    held.add(2, isRepeatable: true, nowMs: 1)
    #expect(held.cancel(2) == [])
    #expect(held.tick(nowMs: 1) == [])
    held.add(4, isRepeatable: true, nowMs: 1)
    #expect(held.tick(nowMs: 1) == [.send(4)])
    #expect(held.cancel(4) == [.cancel(4)])
    #expect(held.cancel(4) == [])
    #expect(held.complete(4, nowMs: 2) == false)
  }

  @Test("A second reply to a request is ignored")
  func secondReply() {
    var held = Self.connected()
    held.add(2, isRepeatable: true, nowMs: 1)
    #expect(held.tick(nowMs: 1) == [.send(2)])
    #expect(held.complete(2, nowMs: 2) == true)
    #expect(held.complete(2, nowMs: 3) == false)
  }

  @Test("The next tick is due when something must happen, and never in the past")
  func nextTick() {
    var held = Self.connected()
    #expect(held.nextMs(nowMs: 0) == Limits.gatewayHelloMs)
    held.add(2, isRepeatable: true, nowMs: 100)
    #expect(held.nextMs(nowMs: 100) == 100)
    #expect(held.tick(nowMs: 100) == [.send(2)])
    held.recordUnsent(2, nowMs: 100)
    #expect(held.nextMs(nowMs: 100) == 100 + Limits.gatewayRetryMs)
    #expect(held.nextMs(nowMs: 5_000) == 5_000)
  }
}
