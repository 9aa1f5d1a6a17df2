import Domain
import NIOCore
import Synchronization
import Testing

@testable import Web

@Suite("List revisions")
struct ListRevisionTests {
  private let epoch = Epoch.sample

  private func text(_ buffers: [ByteBuffer]) -> String { buffers.map { String(buffer: $0) }.joined() }

  @Test("A feed has no revision before its first list, and a new revision after each change")
  func first() throws {
    let list = CurrentList()
    #expect(list.revision == nil && list.state == nil)
    list.set(isStale: false)
    #expect(list.revision == nil)
    list.replace(FeedState(epoch: epoch, seq: 4, entries: []))
    #expect(try #require(list.revision).isStale == false)
    #expect(list.revision === list.revision, "A second call returns the same revision.")
    let before = try #require(list.revision)
    list.set(isStale: true)
    let after = try #require(list.revision)
    #expect(after.isStale && after.number > before.number)
  }

  @Test("A stream gets a snapshot, then each change once")
  func events() throws {
    let list = CurrentList.sample()
    var cursor = StreamCursor(last: nil)
    func sent() throws -> String { text(try #require(list.revision).events(after: &cursor, .all)) }
    #expect(try sent().hasPrefix("event: snapshot\nid: \(epoch)-0\n"))
    #expect(try sent().isEmpty)
    try list.post()
    try list.post()
    let delta = try sent()
    #expect(delta.hasPrefix("event: delta\nid: \(epoch)-2\n") && delta.contains(#""prevSeq":0,"seq":2"#))
    #expect(try sent().isEmpty)
    list.set(isStale: true)
    #expect(try sent() == "event: stale\ndata: {\"stale\":true}\n\n")
    try list.post()
    list.set(isStale: false)
    #expect(try sent().contains("event: stale\ndata: {\"stale\":false}"))
    list.replace(FeedState(epoch: .other, seq: 1, entries: []))
    #expect(try sent().hasPrefix("event: snapshot\nid: \(Epoch.other)-1\n"))
  }

  @Test("A resumed stream gets the missed delta and the staleness, or a snapshot if the ring lacks its last event")
  func resumed() throws {
    let list = CurrentList.sample(seq: 10)
    for _ in 0..<5 { try list.post() }
    let revision = try #require(list.revision)
    func sent(_ epoch: Epoch, _ seq: UInt64) -> String {
      var cursor = StreamCursor(last: EventID(epoch: epoch, seq: seq))
      return text(revision.events(after: &cursor, .all))
    }
    let fresh = "event: stale\ndata: {\"stale\":false}\n\n"
    #expect(sent(epoch, 15) == fresh)
    #expect(sent(epoch, 12).hasPrefix("event: delta\n") && sent(epoch, 12).hasSuffix(fresh))
    #expect(sent(epoch, 10).contains(#""prevSeq":10,"seq":15"#))
    for (other, seq) in [(epoch, 9), (epoch, 16), (.other, 12)] as [(Epoch, UInt64)] {
      #expect(sent(other, seq).hasPrefix("event: snapshot\nid: \(epoch)-15\n"), "\(seq)")
    }
  }

  @Test("A filtered stream skips other changes, and its next delta follows the last one sent")
  func filtered() throws {
    let list = CurrentList.sample()
    let filter = try FeedFilter(country: "US", box: "")
    var cursor = StreamCursor(last: nil)
    func sent() throws -> String { text(try #require(list.revision).events(after: &cursor, filter)) }
    _ = try sent()
    for _ in 0..<3 {
      try list.post()
      #expect(try sent().isEmpty)
    }
    try list.post("US")
    #expect(try sent().contains(#""prevSeq":0,"seq":4"#))
    // The post stays listed until a hundred others are newer.
    for _ in 0..<99 { try list.post() }
    #expect(try sent().isEmpty)
    try list.post()
    #expect(try sent().contains(#""prevSeq":4,"seq":104,"stateHash":"cbf29ce484222325","upsert":[],"remove":["#))
  }

  @Test("Equal requests share bytes up to the cache limit, and get equal bytes above it")
  func shared() throws {
    let list = CurrentList.sample()
    for _ in 0..<40 { try list.post() }
    let revision = try #require(list.revision)
    func address(_ buffer: ByteBuffer) -> UnsafeRawPointer? { buffer.withUnsafeReadableBytes { $0.baseAddress } }
    func body(_ filter: FeedFilter) -> ByteBuffer { revision.body(filter, .identity).0 }
    for index in 0..<Limits.cachedBodiesMax { _ = body(try FeedFilter(country: "", box: "0,0,\(index),90")) }
    let (last, next) = (
      try FeedFilter(country: "", box: "0,0,\(Limits.cachedBodiesMax - 1),90"), try FeedFilter(country: "NO", box: "")
    )
    #expect(address(body(last)) == address(body(last)))
    // The bytes of the unfiltered list are always cached.
    #expect(address(body(.all)) == address(body(.all)))
    #expect(address(revision.body(.all, .gzip).0) == address(revision.body(.all, .gzip).0))
    let (once, again) = (body(next), body(next))
    #expect(once == again && address(once) != address(again))
    #expect(once == body(.all))
  }

  @Test("Callers wait while a caller makes shared bytes, but not while it makes filtered bytes")
  func waits() {
    let cache = Mutex<[Int: Int]>([:])
    func isFree(whileMaking key: Int, isShared: Bool) -> Bool {
      var isFree = false
      for _ in 0..<2 {
        _ = ListRevision.cached(in: cache, key, isShared: isShared) {
          isFree = cache.withLockIfAvailable { _ in true } ?? false
          return key
        }
      }
      return isFree
    }
    #expect(isFree(whileMaking: 1, isShared: false))
    #expect(!isFree(whileMaking: 2, isShared: true))
    #expect(cache.withLock { $0 } == [1: 1, 2: 2])
  }
}

extension CurrentList {
  /// An empty list that is not stale.
  static func sample(seq: UInt64 = 0) -> CurrentList {
    let list = CurrentList()
    list.set(isStale: false)
    list.replace(FeedState(epoch: .sample, seq: seq, entries: []))
    return list
  }

  /// Publishes a post.
  func post(_ country: String = "NO", place: String = "Oslo") throws {
    var next = try #require(state)
    let changes = [FeedChange.upsert(try .sample(next.seq + 1, country: country, place: place))]
    next.apply(changes)
    change(changes, to: next)
  }
}

extension FeedEntry {
  static func sample(_ seq: UInt64, country: String = "NO", place: String = "Oslo") throws -> FeedEntry {
    FeedEntry(
      id: try #require(PostID(rawValue: seq)), seq: seq, account: AccountID(rawValue: 1), firstName: "Ada",
      lastName: "Lovelace", place: place, label: place, countryCode: country, link: "https://example.org",
      coordinate: try #require(Coordinate(latitude: 59.9, longitude: 10.7)), agreement: .notGiven, createdMs: 1,
      updatedMs: 2)
  }
}

extension Epoch {
  static let sample = Epoch(Array(repeating: 7, count: 16))!
  fileprivate static let other = Epoch(Array(repeating: 8, count: 16))!
}
