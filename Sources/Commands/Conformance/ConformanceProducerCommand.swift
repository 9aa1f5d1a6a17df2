import ArgumentParser
import Conformance

struct ConformanceProducerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "producer", abstract: "Test a producer of posts.",
    usage: "onthemap conformance producer [<options>] -- [<program> ...]",
    discussion: """
      Acts as ingest on the submission link for about a minute. Sends BUSY,
      unmatched, reordered and malformed replies, loses replies, falls silent and
      ends the session.

      Start the producer yourself, or pass its command after --, with {submit} in
      place of the address. The output of the command goes to standard error. Any
      token of 43 bytes is accepted. The producer needs 16 batches of different
      posts, or 300 if it sends in parallel.

      Examples:
        onthemap conformance producer
        onthemap conformance producer --submit tcp://127.0.0.1:0 -- \\
          sh -c 'python producer.py token {submit} < posts.tsv'
      """)

  @Option(.submit, "Address to bind for the producer. Port 0 selects a free port.")
  var submit: String?
  @OptionGroup var options: ConformanceOptions

  func run() async throws {
    let settings = try await Settings(options.common)
    let endpoint = try settings.endpoint(.submit, flag: submit)
    try await options.run(.producer, bind: endpoint, settings: settings)
  }
}
