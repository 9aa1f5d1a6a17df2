import ArgumentParser
import Domain
import Messaging

struct KeysCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys", abstract: "Make and show the keys of services on hosts of their own.",
    subcommands: [New.self, Show.self])

  struct New: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a secret key, and print the public one.",
      discussion: """
        The secret key stays with the service, in a file that only its owner can read
        (--key-file). The public key goes to the others: into their lists
        (--allow-workers, --allow-feeds, --allow-subscribers), one a line with a name
        behind it, or to those who connect (--ingest-key, --feed-key).

        Examples:
          onthemap keys new --output ingest.key > ingest.pub
          onthemap keys new --output seattle.key
        """)

    @Option(help: "The file to write; one that is there is kept.")
    var output = "onthemap.key"
    @Flag(help: "Replace a file that is there. Nobody who knows its key can connect any more.")
    var force = false

    func run() async throws {
      let pair = try KeyPair.random()
      try KeyFile.write(pair, to: output, replaces: force)
      printLine(pair.publicKey.description)
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print the public key that goes with a secret one.",
      discussion: """
        Example:
          echo "$(onthemap keys show seattle.key) seattle" >> workers.keys
        """)

    @Argument(help: "A file that `onthemap keys new` has written.")
    var file: String

    func run() async throws { printLine(try KeyFile.read(file).publicKey.description) }
  }
}
