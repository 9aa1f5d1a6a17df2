import Testing

@testable import Domain
@testable import Messaging

@Suite("Snapshot file format")
struct SnapshotFileFormatTests {
  @Test("A snapshot survives a round trip", arguments: [FeedState.sample(1...1), .sample(1...100), .sample(5...250)])
  func whole(state: FeedState) { #expect(SnapshotFileFormat.state(SnapshotFileFormat.bytes(state)) == state) }

  @Test("An empty list survives a round trip")
  func empty() {
    let state = FeedState(epoch: .filled(with: 9), seq: 0, entries: [])
    #expect(SnapshotFileFormat.state(SnapshotFileFormat.bytes(state)) == state)
  }

  @Test("A snapshot with a changed, missing or extra byte is refused")
  func damaged() {
    let bytes = SnapshotFileFormat.bytes(.sample(1...3))
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= 0x10
      #expect(SnapshotFileFormat.state(damaged) == nil, "\(index)")
      #expect(SnapshotFileFormat.state(Array(bytes[..<index])) == nil, "\(index)")
    }
    #expect(SnapshotFileFormat.state(bytes + [0]) == nil)
    #expect(SnapshotFileFormat.state([]) == nil)
  }
}
