import ArgumentParser
import Domain
import Foundation
import Gazetteer
import GazetteerBuild

struct GazetteerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gazetteer", abstract: "Build, describe and verify the gazetteer, the file of places.",
    discussion: """
      Examples:
        onthemap gazetteer build --geonames dump --output gazetteer.otm
        onthemap gazetteer info gazetteer.otm
        onthemap gazetteer verify gazetteer.otm
      """,
    subcommands: [Build.self, Info.self, Verify.self])

  struct Build: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Build a gazetteer from standard input or from GeoNames dumps.",
      usage: "onthemap gazetteer build --output <output> [<options>]",
      discussion: """
        Send SIGHUP to running workers to load the new file.

        A folder of unpacked dumps (download.geonames.org/export/dump) needs
        allCountries.txt or cities500.txt, countryInfo.txt and admin1CodesASCII.txt.
        Optional: admin2Codes.txt, alternateNamesV2.txt, postal/allCountries.txt.

        Examples:
          xz -dc Sources/Gazetteer/Data/*.tsv.xz \\
            | onthemap gazetteer build --output gazetteer.otm
          onthemap gazetteer build --geonames dump --output gazetteer.otm
          onthemap gazetteer build --geonames dump --postcodes zip/US.txt \\
            --output gazetteer.otm
        """)

    @Option(help: "Output file. An existing file is replaced after the new one is complete.")
    var output: String
    @Option(help: "Folder of GeoNames dumps to read instead of standard input.")
    var geonames: String?
    @Option(help: "File of postcodes in GeoNames' format. Requires --geonames.")
    var postcodes: String?

    func validate() throws {
      guard postcodes == nil || geonames != nil else {
        throw ValidationError("--postcodes requires --geonames. The source on standard input has its own postcodes.")
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
      let rest = skipped == 0 ? "" : ", \(counted(skipped, "malformed postcode")) skipped"
      let summary = try PlaceIndexSummary(path: output)
      let places = summary.placeCounts[.city] ?? 0
      let areas = summary.placeCounts.values.reduce(0, +) - places
      printLine("\(output): \(places) places, \(areas) areas, \(summary.postcodeCount) postcodes\(rest)")
    }
  }

  struct Info: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Describe a gazetteer.",
      discussion: """
        Example:
          onthemap gazetteer info --json gazetteer.otm
        """)

    @Argument(help: "Gazetteer file.")
    var file: String
    @Flag(help: "Print one JSON object.")
    var json = false

    func run() async throws {
      let summary = try PlaceIndexSummary(path: file)
      printLine(json ? GazetteerText.json(summary) : GazetteerText.lines(summary))
    }
  }

  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Verify every byte and record of a gazetteer.",
      discussion: """
        Exit status 1 at the first fault.

        Example:
          onthemap gazetteer verify gazetteer.otm
        """)

    @Argument(help: "Gazetteer file.")
    var file: String

    func run() async throws {
      try IndexInspection(path: file).run()
      printLine("\(file): valid")
    }
  }
}
