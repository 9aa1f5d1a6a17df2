import SwiftProtobuf
import Testing

@testable import Domain
@testable import Messaging

@Suite("A feed with several addresses")
struct ChangeAddressTests {
  @Test("A feed continues at the second ingest when the first falls silent, and misses no change")
  func silence() async throws {
    let isMute = Shared(false)
    let first = try TestChangeServer(.sample(1...5), isMute: isMute)
    defer { first.reactor.stop() }
    let second = try TestChangeServer(.sample(1...5), generation: 2)
    defer { second.reactor.stop() }
    let client = try TestChangeClient(first.endpoint, second.endpoint)
    defer { client.reactor.stop() }
    try await eventually("the feed has the list") { client.state == .sample(1...5) }
    first.commands.enqueue([.sample(6)])
    second.commands.enqueue([.sample(6)])
    try await eventually("the feed has the change") { client.state?.seq == 6 }
    isMute.change { $0 = true }
    for number: UInt64 in 7...20 { second.commands.enqueue([.sample(number)]) }
    try await eventually("the feed has the later changes") { client.state?.seq == 20 }
    // The second ingest continues after the feed's list: it sends changes, no list, and none twice.
    #expect(client.lists == 1 && client.seqs == Array(6...20))
  }

  @Test("A feed skips an address at which nothing listens, and one whose ingest does not lead")
  func unavailable() async throws {
    let answers = Counter()
    let (waiting, notLeading) = try AnsweringSocket.start(answers: answers) { bytes in
      let id = FetchRequest([bytes][...])?.requestID ?? 0
      let error = Onthemap_Changes_V1_Error.with { $0.code = .notLeading }
      return FetchReply(id: id, epoch: .filled(with: 1), seq: 0, generation: 1, .error(error)).bytes
    }
    defer { waiting.stop() }
    let server = try TestChangeServer(.sample(1...5))
    defer { server.reactor.stop() }
    let client = try TestChangeClient(.lastingPort(), notLeading, server.endpoint)
    defer { client.reactor.stop() }
    try await eventually("the feed has the list of the third ingest") { client.state == .sample(1...5) }
    #expect(answers.value > 0)
  }

  @Test("A feed takes nothing from an ingest of an earlier start, and logs it once")
  func lowerGeneration() async throws {
    let (log, replies) = (LineLog(), Counter())
    var leading = try TestChangeServer(.sample(1...5), generation: 5)
    let address = leading.endpoint
    let (earlier, earlierAddress) = try AnsweringSocket.start(answers: replies) { bytes in
      let id = FetchRequest([bytes][...])?.requestID ?? 0
      return FeedCodec.reply(.snapshot(.sample(1...9)), id: id, epoch: .filled(with: 1), generation: 4)
    }
    defer { earlier.stop() }
    let client = try TestChangeClient(address, earlierAddress, logger: log.logger)
    defer { client.reactor.stop() }
    try await eventually("the feed has the list") { client.state == .sample(1...5) }
    leading.reactor.stop()
    try await eventually("the feed tries the earlier start twice") { replies.value >= 2 }
    #expect(client.state == .sample(1...5))
    #expect(log.lines(with: "ingest refused: a later start of ingest is known").count == 1)
    leading = try TestChangeServer(.sample(1...7), bind: address, generation: 6)
    defer { leading.reactor.stop() }
    try await eventually("the feed has the list of the next start") { client.state?.seq == 7 }
  }

  @Test("A feed with one address refuses an earlier start, and continues when the next start serves")
  func single() async throws {
    let log = LineLog()
    var server = try TestChangeServer(.sample(1...5), generation: 5)
    let address = server.endpoint
    let client = try TestChangeClient(address, logger: log.logger)
    defer { client.reactor.stop() }
    try await eventually("the feed has the list") { client.state == .sample(1...5) }
    server.reactor.stop()
    server = try TestChangeServer(.sample(1...9), bind: address, generation: 4)
    try await eventually("the feed refuses the earlier start") {
      log.lines(with: "ingest refused: a later start of ingest is known").count == 1
    }
    #expect(client.state == .sample(1...5) && log.lines(with: "address changed").isEmpty)
    server.reactor.stop()
    server = try TestChangeServer(.sample(1...9), bind: address, generation: 6)
    defer { server.reactor.stop() }
    try await eventually("the feed has the list of the next start") { client.state == .sample(1...9) }
  }
}
