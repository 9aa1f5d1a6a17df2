import Foundation
import OnTheMap

/// A line that tells a list, as `onthemap watch --json` prints it.
struct ShownList: Decodable {
  private enum Kind: String, Decodable { case list, snapshot, delta, lost, stale }

  private let kind: Kind
  private let epoch: String
  private let seq: UInt64
  private let stateHash: String
  private let live: Bool?

  /// Nil for any other line, and for one that tells that no list is known to be right.
  static func read(_ line: Substring) -> SubscriberExam.Shown? {
    guard let shown = try? JSONDecoder().decode(ShownList.self, from: Data(line.utf8)) else { return nil }
    let isList = shown.kind == .list || shown.kind == .snapshot || shown.kind == .delta
    return SubscriberExam.Shown(
      epoch: shown.epoch.lowercased(), seq: shown.seq, hash: shown.stateHash.lowercased(),
      isLive: shown.live ?? isList)
  }
}
