import Testing

@testable import Domain

@Suite("Password hashes of gateways")
struct GatewayHashesTests {
  private let peer: [UInt8] = [0, 9]
  private let other: [UInt8] = [0, 8]

  /// Returns the state with a gateway that has just said Hello.
  private func announced(_ parallelMax: Int = 2, nowMs: Int64 = 0) -> GatewayHashes {
    var hashes = GatewayHashes()
    hashes.announce(parallelMax, by: peer, nowMs: nowMs)
    return hashes
  }

  /// The numbers and the failures of expired hashes.
  private func expired(_ hashes: inout GatewayHashes, nowMs: Int64) -> [UInt64: GatewayHashes.Failure] {
    Dictionary(uniqueKeysWithValues: hashes.expire(nowMs: nowMs).map { ($0.number, $0.failure) })
  }

  @Test(
    "A gateway gets as many hashes at a time as it announces, up to the limit",
    arguments: [(0, 0), (1, 1), (8, 8), (9, 8), (Int(UInt32.max), 8)])
  func announcement(announced: Int, expected: Int) {
    var hashes = self.announced(announced)
    #expect(hashes.parallelMax(of: peer, nowMs: 0) == expected)
    let begun = (0..<20).count { _ in
      if case .success = hashes.begin(at: peer, nowMs: 0) { true } else { false }
    }
    #expect(begun == expected)
    let surplus = hashes.begin(at: peer, nowMs: 0)
    #expect(surplus == .failure(expected == 0 ? .gone : .notComputed))
  }

  @Test("A hash ends once, and only for the gateway that has it")
  func answer() {
    var hashes = announced()
    hashes.announce(1, by: other, nowMs: 0)
    let (first, second) = (hashes.begin(at: peer, nowMs: 0), hashes.begin(at: peer, nowMs: 0))
    #expect(first == .success(1) && second == .success(2))
    let answers: [(UInt64, [UInt8])] = [(1, other), (3, peer), (1, peer), (1, peer)]
    let ends = answers.map { hashes.end($0, from: $1) }
    #expect(ends == [false, false, true, false])
    let third = hashes.begin(at: peer, nowMs: 0)
    #expect(third == .success(3), "No number is given twice.")
  }

  @Test("A late hash ends after five seconds, and its gateway gets no hash for thirty seconds")
  func late() {
    var hashes = announced()
    _ = hashes.begin(at: peer, nowMs: 1_000)
    for nowMs in stride(from: Int64(1_000), to: 40_000, by: 1_000) {
      hashes.announce(2, by: peer, nowMs: nowMs)
      #expect(hashes.dueMs >= nowMs)
      let ended = expired(&hashes, nowMs: nowMs)
      #expect(ended == (nowMs == 6_000 ? [1: .notComputed] : [:]), "\(nowMs)")
      #expect(hashes.parallelMax(of: peer, nowMs: nowMs) == ((6_000..<36_000).contains(nowMs) ? 0 : 2), "\(nowMs)")
      guard nowMs == 6_000 else { continue }
      let (during, late) = (hashes.begin(at: peer, nowMs: nowMs), hashes.end(1, from: peer))
      #expect(during == .failure(.notComputed) && !late)
    }
  }

  @Test("The hashes of a gateway end with its connection, two seconds after its last Hello")
  func gone() {
    var hashes = announced()
    hashes.announce(2, by: other, nowMs: 500)
    for peer in [peer, other, peer] { _ = hashes.begin(at: peer, nowMs: 500) }
    #expect(hashes.dueMs == 2_000)
    var ended = [expired(&hashes, nowMs: 1_999), expired(&hashes, nowMs: 2_000)]
    #expect(ended == [[:], [1: .gone, 3: .gone]])
    let afterwards = hashes.begin(at: peer, nowMs: 2_000)
    #expect(hashes.dueMs == 2_500 && afterwards == .failure(.gone) && hashes.parallelMax(of: peer, nowMs: 2_000) == 0)
    ended = [expired(&hashes, nowMs: 2_500)]
    #expect(ended == [[2: .gone]] && hashes.dueMs == .max)
  }

  @Test("Gateways above the maximum get no hashes until another gateway is gone")
  func gatewaysMax() {
    var hashes = GatewayHashes()
    func name(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 255)] }
    for number in 0...Limits.gatewaysHashingMax { hashes.announce(1, by: name(number), nowMs: number == 0 ? 0 : 1) }
    let last = name(Limits.gatewaysHashingMax)
    #expect(hashes.parallelMax(of: name(Limits.gatewaysHashingMax - 1), nowMs: 1) == 1)
    #expect(hashes.parallelMax(of: last, nowMs: 1) == 0)
    _ = hashes.expire(nowMs: 2_000)
    hashes.announce(1, by: last, nowMs: 2_000)
    #expect(hashes.parallelMax(of: last, nowMs: 2_000) == 1)
  }

  @Test("Only work within the limits is computed, and no text shows its password")
  func work() {
    func work(_ bytes: Int = 8, salt: Int = 16, kib: Int = 19_456, passes: Int = 2) -> PasswordHashWork {
      PasswordHashWork(
        password: Secret(String(repeating: "p", count: bytes)), salt: [UInt8](repeating: 1, count: salt),
        memoryKiB: kib, passes: passes)
    }
    #expect(PasswordHashWork(password: Secret("p"), salt: work().salt) == work(1))
    for work in [work(), work(0), work(1_024), work(kib: 8), work(passes: 1)] { #expect(work.isWithinLimits) }
    let excessive = [
      work(1_025), work(salt: 15), work(salt: 17), work(kib: 7), work(kib: 19_457), work(passes: 0), work(passes: 3),
    ]
    for work in excessive { #expect(!work.isWithinLimits) }
    #expect(!"\(work())".contains("pp") && !String(reflecting: work()).contains("pp"))
  }
}
