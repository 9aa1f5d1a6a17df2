import NIOCore
import OnTheMap
import Testing
import Web

@testable import Feed

@Suite("Versions of the list")
struct ListVersionTests {
  private let epoch = Epoch(Array(repeating: 7, count: 16)) ?? .other

  private func entry(_ seq: UInt64, country: String = "NO") throws -> FeedEntry {
    FeedEntry(
      id: try #require(PostID(rawValue: seq)), seq: seq, account: AccountID(rawValue: 1), firstName: "Ada",
      lastName: "Lovelace", place: "Oslo", label: "Oslo, Norway", countryCode: country, link: "https://example.org",
      coordinate: try #require(Coordinate(latitude: 59.9, longitude: 10.7)), agreement: .found, createdMs: 1,
      updatedMs: 2)
  }

  /// A list that posts come to.
  private func post(_ country: String = "NO", to list: LatestList) throws {
    let state = try #require(list.state)
    var next = state
    let changes = [FeedChange.put(try entry(state.seq + 1, country: country))]
    next.apply(changes)
    list.change(changes, to: next)
  }

  private func list(seq: UInt64 = 0) -> LatestList {
    let list = LatestList()
    list.set(isStale: false)
    list.replace(FeedState(epoch: epoch, seq: seq, entries: []))
    return list
  }

  private func text(_ buffers: [ByteBuffer]) -> String { buffers.map { String(buffer: $0) }.joined() }

  @Test("Before there is a list there is no version, and ingest may be heard before it tells one")
  func first() throws {
    let list = LatestList()
    #expect(list.version == nil && list.state == nil)
    list.set(isStale: false)
    #expect(list.version == nil)
    list.replace(FeedState(epoch: epoch, seq: 4, entries: []))
    #expect(try #require(list.version).isStale == false)
    #expect(list.version === list.version, "Who asks twice gets the same.")
    let before = try #require(list.version)
    list.set(isStale: true)
    let after = try #require(list.version)
    #expect(after.isStale && after.number > before.number)
  }

  @Test("A subscriber is told a snapshot, then each change once, and nothing twice")
  func events() throws {
    let list = list()
    var cursor = StreamCursor(last: nil)
    func told() throws -> String { text(try #require(list.version).events(after: &cursor, .all)) }
    #expect(try told().hasPrefix("event: snapshot\nid: \(epoch)-0\n"))
    #expect(try told().isEmpty)
    try post(to: list)
    try post(to: list)
    let delta = try told()
    #expect(delta.hasPrefix("event: delta\nid: \(epoch)-2\n") && delta.contains(#""prevSeq":0,"seq":2"#))
    #expect(try told().isEmpty)
    list.set(isStale: true)
    #expect(try told() == "event: stale\ndata: {\"stale\":true}\n\n")
    try post(to: list)
    list.set(isStale: false)
    #expect(try told().contains("event: stale\ndata: {\"stale\":false}"))
    list.replace(FeedState(epoch: .other, seq: 1, entries: []))
    #expect(try told().hasPrefix("event: snapshot\nid: \(Epoch.other)-1\n"))
  }

  @Test("Who comes again is told what it missed and whether the list is stale; a snapshot if that is not known")
  func resumed() throws {
    let list = list(seq: 10)
    for _ in 0..<5 { try post(to: list) }
    let version = try #require(list.version)
    func told(_ epoch: Epoch, _ seq: UInt64) -> String {
      var cursor = StreamCursor(last: EventID(epoch: epoch, seq: seq))
      return text(version.events(after: &cursor, .all))
    }
    let fresh = "event: stale\ndata: {\"stale\":false}\n\n"
    #expect(told(epoch, 15) == fresh)
    #expect(told(epoch, 12).hasPrefix("event: delta\n") && told(epoch, 12).hasSuffix(fresh))
    #expect(told(epoch, 10).contains(#""prevSeq":10,"seq":15"#))
    for (other, seq) in [(epoch, 9), (epoch, 16), (.other, 12)] as [(Epoch, UInt64)] {
      #expect(told(other, seq).hasPrefix("event: snapshot\nid: \(epoch)-15\n"), "\(seq)")
    }
  }

  @Test("A filter keeps silent about what it does not let through, and its next delta follows what was told")
  func filtered() throws {
    let list = list()
    let filter = try FeedFilter(country: "US", box: "")
    var cursor = StreamCursor(last: nil)
    func told() throws -> String { text(try #require(list.version).events(after: &cursor, filter)) }
    _ = try told()
    for _ in 0..<3 {
      try post(to: list)
      #expect(try told().isEmpty)
    }
    try post("US", to: list)
    #expect(try told().contains(#""prevSeq":0,"seq":4"#))
    // It still stands on the list, until a hundred others are newer.
    for _ in 0..<99 { try post(to: list) }
    #expect(try told().isEmpty)
    try post(to: list)
    #expect(try told().contains(#""prevSeq":4,"seq":104,"stateHash":"cbf29ce484222325","upsert":[],"remove":["#))
  }

  @Test("The same bytes go to all who ask for the same; above the limit they are made each time, and are as right")
  func shared() throws {
    let list = list()
    for _ in 0..<40 { try post(to: list) }
    let version = try #require(list.version)
    func address(_ buffer: ByteBuffer) -> UnsafeRawPointer? { buffer.withUnsafeReadableBytes { $0.baseAddress } }
    func body(_ filter: FeedFilter) -> ByteBuffer { version.body(filter, .identity).0 }
    for index in 0..<Limits.feedBytesKept { _ = body(try FeedFilter(country: "", box: "0,0,\(index),90")) }
    let (last, next) = (
      try FeedFilter(country: "", box: "0,0,\(Limits.feedBytesKept - 1),90"), try FeedFilter(country: "NO", box: "")
    )
    #expect(address(body(last)) == address(body(last)))
    // Of the whole list there are always some, whoever came first.
    #expect(address(body(.all)) == address(body(.all)))
    #expect(address(version.body(.all, .gzip).0) == address(version.body(.all, .gzip).0))
    let (once, again) = (body(next), body(next))
    #expect(once == again && address(once) != address(again))
    #expect(once == body(.all))
  }
}

extension Epoch {
  fileprivate static let other = Epoch(Array(repeating: 8, count: 16))!
}
