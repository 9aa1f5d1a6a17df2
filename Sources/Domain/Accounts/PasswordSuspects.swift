/// Networks with a recent wrong password. A pure state machine: the caller supplies the time, in milliseconds of a
/// monotonic clock.
package struct PasswordSuspects: Sendable {
  /// Time of the last wrong password of each network. When `wrong` is full, it replaces `olderWrong` and starts empty.
  private var wrong: [IPAddress?: Int64] = [:]
  private var olderWrong: [IPAddress?: Int64] = [:]

  package init() {}

  /// Number of networks with a remembered wrong password, at most `Limits.passwordSuspectsMax`.
  var count: Int { wrong.count + olderWrong.count }

  /// Records a right or wrong password from a network. After a right password, the network is no longer suspect.
  package mutating func record(isRight: Bool, from network: IPAddress?, nowMs: Int64) {
    olderWrong[network] = nil
    wrong[network] = isRight ? nil : nowMs
    guard wrong.count > Limits.passwordSuspectsMax / 2 else { return }
    olderWrong = wrong
    wrong = [:]
  }

  /// Returns true if a network had a wrong password within `Limits.passwordSuspectMs`, and no right one since.
  package func contains(_ network: IPAddress?, nowMs: Int64) -> Bool {
    guard let lastMs = wrong[network] ?? olderWrong[network] else { return false }
    return nowMs - lastMs < Limits.passwordSuspectMs
  }
}
