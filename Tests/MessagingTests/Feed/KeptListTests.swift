import Testing

@testable import Domain
@testable import Messaging

@Suite("The list that a feed keeps")
struct KeptListTests {
  @Test("It is read as it was written", arguments: [FeedState.sample(1...1), .sample(1...100), .sample(5...250)])
  func whole(state: FeedState) { #expect(KeptList.state(KeptList.bytes(state)) == state) }

  @Test("The empty list of a new database is one too")
  func empty() {
    let state = FeedState(epoch: .filled(with: 9), seq: 0, entries: [])
    #expect(KeptList.state(KeptList.bytes(state)) == state)
  }

  @Test("With a byte changed, missing or too many it is none")
  func damaged() {
    let bytes = KeptList.bytes(.sample(1...3))
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= 0x10
      #expect(KeptList.state(damaged) == nil, "\(index)")
      #expect(KeptList.state(Array(bytes[..<index])) == nil, "\(index)")
    }
    #expect(KeptList.state(bytes + [0]) == nil)
    #expect(KeptList.state([]) == nil)
  }
}
