import Conformance
import Domain
import Foundation

/// A line that describes a list, as `onthemap watch --json` prints it.
struct ShownList: Decodable {
  private enum Kind: String, Decodable { case snapshot, delta, resync, stale }

  private enum Member: String, CodingKey { case kind, epoch, seq, stateHash, live }

  private let kind: Kind
  private let epoch: String
  private let seq: UInt64
  private let stateHash: String
  private let live: Bool?

  /// Decodes a line. Accepts missing and malformed members, because the conformance rules judge them.
  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Member.self)
    kind = try members.decode(Kind.self, forKey: .kind)
    epoch = (try? members.decode(String.self, forKey: .epoch)) ?? ""
    seq = (try? members.decode(UInt64.self, forKey: .seq)) ?? 0
    let number = try? members.decode(UInt64.self, forKey: .stateHash)
    stateHash = (try? members.decode(String.self, forKey: .stateHash)) ?? number.map { "\($0)" } ?? ""
    live = try? members.decode(Bool.self, forKey: .live)
  }

  /// Decodes a line of a program under test. Nil for a line without a list.
  static func read(_ line: Substring) -> PrintedList? {
    guard let shown = try? JSONDecoder().decode(ShownList.self, from: Data(line.utf8)) else { return nil }
    let isList = shown.kind == .snapshot || shown.kind == .delta
    return PrintedList(
      epoch: shown.epoch.lowercased(), seq: shown.seq, hash: shown.stateHash.lowercased(),
      isLive: shown.live ?? isList)
  }
}
