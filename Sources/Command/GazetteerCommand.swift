import ArgumentParser
import Foundation
import Gazetteer

struct GazetteerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gazetteer", abstract: "Make the file that places are looked up in.", subcommands: [Build.self])

  struct Build: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Compile the gazetteer's source from standard input.",
      discussion: """
        Example:
          xz -dc Sources/Gazetteer/Data/*.tsv.xz \\
            | onthemap gazetteer build --output gazetteer.otm
        """)

    @Option(help: "The file to write; an older one is replaced when the new one is whole.")
    var output: String

    func run() async throws {
      var builder = PlaceIndexBuilder()
      try builder.read(fileDescriptor: FileHandle.standardInput.fileDescriptor)
      let count = builder.placeCount
      try builder.write(to: output, builtAt: Int64(Date().timeIntervalSince1970))
      say("\(output): \(count) places")
    }
  }
}
