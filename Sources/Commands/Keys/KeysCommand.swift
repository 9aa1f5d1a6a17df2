import ArgumentParser
import Domain
import Messaging

struct KeysCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys", abstract: "Create and show CURVE keys, for links between hosts.",
    discussion: """
      Examples:
        onthemap keys new --output ingest.key > ingest.pub
        onthemap keys show ingest.key
      """,
    subcommands: [New.self, Show.self])

  struct New: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create a secret key and print its public key.",
      discussion: """
        The secret key stays with its service (--key-file), readable by its owner
        only. Give the public key to the other end: add it to an allowlist
        (--allow-workers, --allow-feeds, --allow-producers, --allow-subscribers), one
        key and name per line, or set it at clients (--ingest-key, --feed-key,
        --submit-key).

        Examples:
          onthemap keys new --output ingest.key > ingest.pub
          onthemap keys new --output seattle.key
        """)

    @Option(help: "Output file. An existing file stays, unless --force is given.")
    var output = "onthemap.key"
    @Flag(help: "Replace an existing file. Peers that use the old key can no longer connect.")
    var force = false

    func run() async throws {
      let pair = try KeyPair.random()
      try KeyFile.write(pair, to: output, replaces: force)
      printLine(pair.publicKey.description)
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print the public key of a secret key file.",
      discussion: """
        Example:
          echo "$(onthemap keys show seattle.key) seattle" >> workers.keys
        """)

    @Argument(help: "Secret key file from `onthemap keys new`.")
    var file: String

    func run() async throws { printLine(try KeyFile.read(file).publicKey.description) }
  }
}
