import ArgumentParser
import Domain
import Foundation
import Gazetteer

struct GeocodeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "geocode", abstract: "Geocode text with the gazetteer file, without a server.",
    discussion: """
      Prints the best place, and alternatives if the text is ambiguous. Exit status
      1 if no place matches.

      --input reads a CSV or NDJSON table with a column query and writes one JSON
      object per row, in order: {"query": …, "places": […]}, or {"query": …,
      "error": {"code": …, "detail": …}} for an invalid row. Optional columns:
      limit, country, focus (or focus_lat and focus_lon), lang, level, autocomplete.
      An empty cell takes the flag's value. A column id is copied to the output.
      With --reverse, columns lat and lon may replace query.

      --score reads a CSV file with columns query, lat, lon and tolerance_km. It
      prints the accuracy by kind (or category) and by confidence, then the misses.
      A column expected_city instead of query tests reverse geocoding. Optional
      columns: country_filter, focus_lat, focus_lon, lang, top_k.

      Examples:
        onthemap geocode "Seattle, WA"
        onthemap geocode --limit 5 --json Springfield
        onthemap geocode --reverse -- "-33.87, 151.21"
        onthemap geocode --input places.csv > found.ndjson
        cut -f 2 names.tsv | sed '1i query' | onthemap geocode --input -
        onthemap geocode --score cases.csv
      """)

  @Argument(help: "Place name or address.")
  var text: String?
  @Option(help: "Maximum number of places, 1 to \(Limits.candidatesMax).")
  var limit: String?
  @Option(help: "Country filter, as an ISO 3166-1 alpha-2 code.")
  var country: String?
  @Option(parsing: .unconditional, help: "Point LAT,LON. Prefers places near it over places of similar size elsewhere.")
  var focus: String?
  @Option(help: "Language of labels, as an ISO 639-1 code.")
  var lang: String?
  @Option(
    help: "Level filter, comma-separated: country, region, county, city, postcode, street, house.")
  var level: String?
  @Flag(help: "Treat the last word as a prefix (autocomplete).")
  var autocomplete = false
  @Flag(help: "Find cities near a point, given as LAT,LON.")
  var reverse = false
  @Option(help: "Table of queries. - reads standard input.")
  var input: String?
  @Option(help: "Format of the table: csv or ndjson. (default: by file extension, otherwise csv)")
  var format: String?
  @Option(help: "CSV file of queries and expected coordinates. Measures accuracy. - reads standard input.")
  var score: String?
  @Flag(help: "Print one JSON object per place; with --score, one object.")
  var json = false
  @Option(.gazetteer)
  var gazetteer: String?
  @OptionGroup var common: CommonOptions

  func validate() throws {
    guard [text, input, score].compactMap({ $0 }).count == 1 else {
      throw ValidationError(
        "expected exactly one of TEXT, --input and --score. Put -- before a text that begins with a dash.")
    }
    guard !(autocomplete && reverse) else { throw ValidationError("--autocomplete cannot be combined with --reverse.") }
    guard format == nil || input != nil else { throw ValidationError("--format requires --input.") }
    guard !(reverse && score != nil) else {
      throw ValidationError(
        "--score cannot be combined with --reverse. A column expected_city selects reverse geocoding.")
    }
    _ = try tableFormat()
    _ = try query()
  }

  func run() async throws {
    let settings = try await Settings(common)
    let index = try PlaceIndex(path: try settings.gazetteer(flag: gazetteer))
    if let score { return try run(score: score, index) }
    if let input { return try run(input: input, index) }
    try geocode(try query(), index)
  }

  private func geocode(_ query: PlaceQuery, _ index: PlaceIndex) throws {
    var query = query
    if limit == nil, !json { query.limit = 1 + GeocodeText.alternatives }
    let places = index.locate(query)
    guard !places.isEmpty else {
      printError("no place matches \"\(query.text)\"")
      throw ExitCode(1)
    }
    if json {
      return try write(
        places.map { place in String(decoding: JSONWriter.object { place.write(to: &$0) }.bytes, as: UTF8.self) })
    }
    let text = GeocodeText(places: places, showsAll: limit != nil)
    try write(text.lines)
    for remark in text.remarks { printError(remark) }
  }

  private func run(input path: String, _ index: PlaceIndex) throws {
    let (format, defaults) = (try tableFormat(), try query())
    try with(path, "--input") { descriptor throws(TableError) in
      let tally = try Batch(descriptor: descriptor, format: format, defaults: defaults, index).run()
      printError(tally.summary)
      if !index.attribution.isEmpty { printError(index.attribution) }
    }
  }

  private func run(score path: String, _ index: PlaceIndex) throws {
    let defaults = try query()
    try with(path, "--score") { descriptor throws(TableError) in
      let report = ScoreReport(score: try ScoreTable.score(descriptor: descriptor, defaults: defaults, index))
      guard writeAll((json ? report.json : report.text) + "\n", on: STDOUT_FILENO) else {
        throw TableError("cannot write the score: \(String(cString: strerror(errno)))")
      }
      for problem in report.score.problems { printError("\(path), \(problem)") }
    }
  }

  /// Writes all lines to standard output. Fails if it cannot write all of them.
  private func write(_ lines: [String]) throws {
    guard writeAll(lines.map { $0 + "\n" }.joined(), on: STDOUT_FILENO) else {
      throw SettingError("cannot write the places: \(String(cString: strerror(errno))).")
    }
  }

  /// Opens a table, and closes it after `body`.
  private func with(_ path: String, _ flag: String, _ body: (Int32) throws(TableError) -> Void) throws {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let reason = String(cString: strerror(errno))
      throw SettingError("\(flag): cannot open \(path): \(reason).")
    }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    do { try body(descriptor) } catch { throw SettingError("\(flag) \(path): \(error).") }
  }

  private func tableFormat() throws -> TableReader.Format {
    guard let format else {
      return input.map { $0.hasSuffix(".ndjson") || $0.hasSuffix(".jsonl") } == true ? .ndjson : .csv
    }
    guard let known = TableReader.Format(rawValue: format) else {
      let formats = TableReader.Format.allCases.map(\.rawValue).joined(separator: " or ")
      throw ValidationError("--format must be \(formats), not \"\(format)\".")
    }
    return known
  }

  /// Returns the query of the flags.
  ///
  /// - Throws: `ValidationError`, which names the flag.
  private func query() throws -> PlaceQuery {
    var query = PlaceQuery("", kind: reverse ? .reverse : autocomplete ? .autocomplete : .forward, isDetailed: true)
    let values: [(PlaceQuery.Option, String?)] = [
      (.text, text), (.limit, limit), (.country, country), (.focus, focus), (.language, lang), (.level, level),
    ]
    for case (let option, let value?) in values {
      do { try query.set(option, to: value) } catch {
        throw ValidationError(error.sentence(option == .text ? "the text" : "--\(option.rawValue)") + ".")
      }
    }
    if text != nil {
      do { try query.requirePoint() } catch { throw ValidationError(error.sentence("the text") + ".") }
    }
    return query
  }
}
