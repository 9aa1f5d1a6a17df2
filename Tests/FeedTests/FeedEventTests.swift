import Domain
import Testing

@testable import Web

@Suite("Feed events")
struct FeedEventTests {
  private let history = Epoch(Array(repeating: 0xA1, count: 16))!
  private let epoch = String(repeating: "a1", count: 16)

  @Test("Each event has the form of server-sent events")
  func forms() throws {
    let state = FeedState(epoch: history, seq: 3, entries: [try .sample(3)])
    func text(_ event: FeedEvent) -> String { String(decoding: event.bytes, as: UTF8.self) }
    let entry = String(decoding: JSONWriter.object { state.entries[0].write(to: &$0) }.bytes, as: UTF8.self)
    let hash = hexadecimal(state.hash, digits: 16)
    #expect(
      text(.snapshot(state, isStale: true)) == """
        event: snapshot
        id: \(epoch)-3
        data: {"epoch":"\(epoch)","seq":3,"stateHash":"\(hash)","stale":true,"entries":[\(entry)]}


        """)
    let delta = FeedDelta(prevSeq: 1, seq: 3, upsert: state.entries, remove: [try #require(PostID(rawValue: 7))])
    #expect(
      text(.delta(delta, state)) == """
        event: delta
        id: \(epoch)-3
        data: {"epoch":"\(epoch)","prevSeq":1,"seq":3,"stateHash":"\(hash)","upsert":[\(entry)],"remove":["0000000007"]}


        """)
    #expect(text(.stale(true)) == "event: stale\ndata: {\"stale\":true}\n\n")
    #expect(text(.stale(false)) == "event: stale\ndata: {\"stale\":false}\n\n")
    #expect(text(.heartbeat) == ": heartbeat\n\n" && text(.retry(ms: 1_500)) == "retry: 1500\n\n")
  }

  @Test("An event id survives a round trip, and a malformed one is refused")
  func ids() {
    for seq in [0, 1, UInt64.max] {
      let id = EventID(epoch: history, seq: seq)
      #expect(EventID(id.description) == id && id.description == "\(epoch)-\(seq)")
    }
    for text in [
      "", "-", epoch, "\(epoch)-", "\(epoch)-+1", "\(epoch)--1", "\(epoch)-1-2", "\(epoch)-1 ", "\(epoch)-x", "-1",
      "\(epoch)-18446744073709551616", "\(epoch.uppercased())-1", "\(epoch.dropLast())-1", "\(epoch)a-1",
      "\(epoch.dropLast(2))é-1", "\(epoch.dropLast())g-1", "0x\(epoch.dropLast(2))-1",
    ] { #expect(EventID(text) == nil, "\(text)") }
  }
}
