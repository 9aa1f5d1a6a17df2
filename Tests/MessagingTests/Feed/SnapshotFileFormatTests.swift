import Testing

@testable import Domain
@testable import Messaging

@Suite("The list that a feed keeps")
struct SnapshotFileFormatTests {
  @Test("It is read as it was written", arguments: [FeedState.sample(1...1), .sample(1...100), .sample(5...250)])
  func whole(state: FeedState) { #expect(SnapshotFileFormat.state(SnapshotFileFormat.bytes(state)) == state) }

  @Test("The empty list of a new database is one too")
  func empty() {
    let state = FeedState(epoch: .filled(with: 9), seq: 0, entries: [])
    #expect(SnapshotFileFormat.state(SnapshotFileFormat.bytes(state)) == state)
  }

  @Test("With a byte changed, missing or too many it is none")
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
