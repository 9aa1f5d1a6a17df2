/// The latest posts, in the form of HTTP and `watch --json`.
struct FeedList: Decodable, Sendable, Equatable {
  struct Entry: Decodable, Sendable, Equatable {
    let id: String
    let seq: UInt64
    let firstName: String
    let place: String
    let label: String
    let link: String
    let latitude: Double
    let longitude: Double
  }

  var epoch: String
  var seq: UInt64
  var stateHash: String
  /// The entries, newest first.
  var entries: [Entry]

  /// The hash that the protocol document defines, implemented independently.
  var computedHash: String {
    var hash: UInt64 = 14_695_981_039_346_656_037
    func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211 }
    for entry in entries {
      entry.id.utf8.forEach(add)
      for shift in stride(from: 0, to: 64, by: 8) { add(UInt8(truncatingIfNeeded: entry.seq >> UInt64(shift))) }
    }
    let text = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - text.count) + text
  }

  /// Applies a delta by the rules of the protocol document.
  mutating func apply(upsert: [Entry], remove: [String], seq: UInt64) {
    let replaced = Set(remove + upsert.map(\.id))
    entries = Array((entries.filter { !replaced.contains($0.id) } + upsert).sorted { $0.seq > $1.seq }.prefix(100))
    self.seq = seq
  }
}
