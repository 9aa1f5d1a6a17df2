import ArgumentParser
import Conformance

struct ConformProducerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "producer", abstract: "Examine a producer of posts.",
    discussion: """
      Plays ingest on the submission link, for about a minute: lost replies, posts and
      batches that are BUSY, replies that belong to no request or come in another order,
      frames that nobody can read, silence, and a session that ends. The producer is
      started by hand, or behind --, with {submit} where its address belongs; what it
      prints goes to standard error. Any text of 43 bytes is a token here. The producer
      needs 16 batches of different posts, or 300 where it sends several at a time.

      Examples:
        onthemap conform producer
        onthemap conform producer --submit tcp://127.0.0.1:0 -- \\
          sh -c 'python produce.py token {submit} < posts.tsv'
      """)

  @Option(.submit, "The address for the producer; port 0 takes a free one.")
  var submit: String?
  @OptionGroup var options: ConformOptions

  func run() async throws {
    let settings = try await Settings(options.common)
    let endpoint = try settings.endpoint(.submit, flag: submit)
    try await options.run(.producer, bind: endpoint, settings: settings)
  }
}
