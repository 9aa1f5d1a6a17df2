import ArgumentParser
import Domain
import Foundation
import Gazetteer
import GazetteerBuild

struct GazetteerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gazetteer", abstract: "Make, describe and check the file that places are looked up in.",
    subcommands: [Build.self, Info.self, Verify.self])

  struct Build: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Compile the gazetteer's source from standard input, or a folder of GeoNames dumps.",
      discussion: """
        Running workers take the new file when they get SIGHUP.

        A folder of dumps (download.geonames.org/export/dump, unpacked) has allCountries.txt
        or cities500.txt, countryInfo.txt and admin1CodesASCII.txt, and may have
        admin2Codes.txt, alternateNamesV2.txt and postal/allCountries.txt.

        Examples:
          xz -dc Sources/Gazetteer/Data/*.tsv.xz \\
            | onthemap gazetteer build --output gazetteer.otm
          onthemap gazetteer build --geonames dump --output gazetteer.otm
          onthemap gazetteer build --geonames dump --postcodes zip/US.txt \\
            --output gazetteer.otm
        """)

    @Option(help: "The file to write; an older one is replaced when the new one is whole.")
    var output: String
    @Option(help: "A folder of GeoNames dump files to read in place of standard input.")
    var geonames: String?
    @Option(help: "A file of postcodes in GeoNames' format, with --geonames.")
    var postcodes: String?

    func validate() throws {
      guard postcodes == nil || geonames != nil else {
        throw ValidationError("--postcodes goes with --geonames; the source on standard input has its own postcodes.")
      }
    }

    func run() async throws {
      var builder = PlaceIndexBuilder()
      if let geonames {
        let dump = try GeoNamesDump(directory: geonames, postcodes: postcodes)
        let progress = ReadProgress(total: dump.byteCount)
        defer { progress.clear() }
        try dump.read(into: &builder) { progress.add($0) }
      } else {
        let progress = ReadProgress(total: nil)
        defer { progress.clear() }
        try builder.read(fileDescriptor: FileHandle.standardInput.fileDescriptor) { progress.add($0) }
      }
      let skipped = builder.skippedPostcodeCount
      try builder.write(to: output, builtAt: Int64(Date().timeIntervalSince1970))
      let rest = skipped == 0 ? "" : ", \(skipped) postcodes left out for their form"
      let summary = try PlaceIndexSummary(path: output)
      let places = summary.placeCounts[.city] ?? 0
      let areas = summary.placeCounts.values.reduce(0, +) - places
      printLine("\(output): \(places) places, \(areas) areas, \(summary.postcodeCount) postcodes\(rest)")
    }
  }

  struct Info: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Tell what is in a gazetteer.",
      discussion: """
        Example:
          onthemap gazetteer info --json gazetteer.otm
        """)

    @Argument(help: "The compiled gazetteer.")
    var file: String
    @Flag(help: "One JSON object.")
    var json = false

    func run() async throws {
      let summary = try PlaceIndexSummary(path: file)
      printLine(json ? GazetteerText.json(summary) : GazetteerText.lines(summary))
    }
  }

  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Check every byte and every record of a gazetteer.",
      discussion: """
        Exits with 1 at the first fault.

        Example:
          onthemap gazetteer verify gazetteer.otm
        """)

    @Argument(help: "The compiled gazetteer.")
    var file: String

    func run() async throws {
      try IndexInspection(path: file).run()
      printLine("\(file): whole")
    }
  }
}
