import ArgumentParser
import Domain
import Foundation
import Gazetteer

struct GeocodeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "geocode", abstract: "Find the places that texts mean, from the gazetteer, without a server.",
    discussion: """
      Says the best answer, and others where it is not clear which is meant. Exits
      with 1 when no place is known by the text.

      --input reads a table instead, with the text in the column or field query, and
      writes one JSON object a line, in the table's order: {"query": …, "places": […]},
      or {"query": …, "error": {"code": …, "detail": …}} for a row that is wrong. A
      row may have its own limit, country, focus (or focus_lat and focus_lon), lang,
      level and prefix; what it leaves empty is as the flags say. An id comes back in
      the answer. With --reverse the point may be in lat and lon instead of query.

      --score reads a CSV file with the columns query, lat, lon and tolerance_km, and
      says how many of its texts are found where they should be, by kind (or
      category), and how often confident answers are right; then it lists the rest.
      With expected_city instead of query it looks up what is around each point. The
      columns country_filter, focus_lat, focus_lon, lang and top_k are heeded.

      Examples:
        onthemap geocode "Seattle, WA"
        onthemap geocode --limit 5 --json Springfield
        onthemap geocode --reverse -- "-33.87, 151.21"
        onthemap geocode --input places.csv > answers.ndjson
        cut -f 2 names.tsv | sed '1i query' | onthemap geocode --input -
        onthemap geocode --score cases.csv
      """)

  @Argument(help: "The place, in any words.")
  var text: String?
  @Option(help: "Places wanted, 1 to \(Limits.candidatesMax).")
  var limit: String?
  @Option(help: "Only places of this country, by its two letters.")
  var country: String?
  @Option(parsing: .unconditional, help: "LAT,LON: places near it are preferred to others of about their size.")
  var focus: String?
  @Option(help: "The language of the answers, by its two letters.")
  var lang: String?
  @Option(
    help: "Only places of these levels, with commas: country, region, county, city, postcode, street, house.")
  var level: String?
  @Flag(help: "The last word may be only begun.")
  var prefix = false
  @Flag(help: "The text is a point, LAT,LON: find the towns around it.")
  var reverse = false
  @Option(help: "A table of texts. - for standard input.")
  var input: String?
  @Option(help: "The table's form: csv or ndjson. (default: by the file's ending, else csv)")
  var format: String?
  @Option(help: "A CSV file of texts and where they are: say how right the gazetteer is. - for standard input.")
  var score: String?
  @Flag(help: "One JSON object for each place; with --score, the figures as one object.")
  var json = false
  @Option(.gazetteer)
  var gazetteer: String?
  @OptionGroup var common: CommonOptions

  func validate() throws {
    guard [text, input, score].compactMap({ $0 }).count == 1 else {
      throw ValidationError(
        "Give a text, or --input FILE, or --score FILE: one of them. Put -- before a text that begins with a dash.")
    }
    guard !(prefix && reverse) else { throw ValidationError("--prefix and --reverse exclude each other.") }
    guard format == nil || input != nil else { throw ValidationError("--format goes with --input.") }
    guard !(reverse && score != nil) else {
      throw ValidationError("--score knows a reverse table by its column expected_city: leave --reverse out.")
    }
    _ = try form()
    _ = try query()
  }

  func run() async throws {
    let settings = try await Settings(common)
    let index = try PlaceIndex(path: try settings.gazetteer(flag: gazetteer))
    if let score { return try run(score: score, index) }
    if let input { return try run(input: input, index) }
    try answer(try query(), index)
  }

  private func answer(_ query: PlaceQuery, _ index: PlaceIndex) throws {
    var query = query
    if limit == nil, !json { query.limit = 1 + GeocodeText.alternatives }
    let places = index.locate(query)
    guard !places.isEmpty else {
      printError("No place is known by \"\(query.text)\".")
      throw ExitCode(1)
    }
    if json {
      return try write(
        places.map { place in String(decoding: JSONWriter.object { place.write(to: &$0) }.bytes, as: UTF8.self) })
    }
    let answer = GeocodeText(places: places, showsAll: limit != nil)
    try write(answer.lines)
    for remark in answer.remarks { printError(remark) }
  }

  private func run(input path: String, _ index: PlaceIndex) throws {
    let (form, defaults) = (try form(), try query())
    try with(path, "--input") { descriptor throws(TableError) in
      let tally = try Batch(descriptor: descriptor, form: form, defaults: defaults, index).run()
      printError(tally.summary)
      if !index.attribution.isEmpty { printError(index.attribution) }
    }
  }

  private func run(score path: String, _ index: PlaceIndex) throws {
    let defaults = try query()
    try with(path, "--score") { descriptor throws(TableError) in
      let report = ScoreReport(score: try ScoreTable.score(descriptor: descriptor, defaults: defaults, index))
      guard writeAll((json ? report.json : report.text) + "\n", on: STDOUT_FILENO) else {
        throw TableError("the score cannot be written: \(String(cString: strerror(errno)))")
      }
      for problem in report.score.problems { printError("\(path), \(problem)") }
    }
  }

  /// Says lines, which somebody wants to have all.
  private func write(_ lines: [String]) throws {
    guard writeAll(lines.map { $0 + "\n" }.joined(), on: STDOUT_FILENO) else {
      throw SettingError("The answer cannot be written: \(String(cString: strerror(errno))).")
    }
  }

  /// Opens a table for as long as it is used.
  private func with(_ path: String, _ flag: String, _ body: (Int32) throws(TableError) -> Void) throws {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let reason = String(cString: strerror(errno))
      throw SettingError("\(flag) must be a file that can be read, not \"\(path)\": \(reason).")
    }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    do { try body(descriptor) } catch { throw SettingError("\(flag) \(path): \(error).") }
  }

  private func form() throws -> TableReader.Format {
    guard let format else {
      return input.map { $0.hasSuffix(".ndjson") || $0.hasSuffix(".jsonl") } == true ? .ndjson : .csv
    }
    guard let form = TableReader.Format(rawValue: format) else {
      let known = TableReader.Format.allCases.map(\.rawValue).joined(separator: " or ")
      throw ValidationError("--format must be \(known), not \"\(format)\".")
    }
    return form
  }

  /// The question of the flags.
  ///
  /// - Throws: `ValidationError`, which names the flag.
  private func query() throws -> PlaceQuery {
    var query = PlaceQuery("", kind: reverse ? .reverse : prefix ? .prefix : .forward, isDetailed: true)
    let given: [(PlaceQuery.Option, String?)] = [
      (.text, text), (.limit, limit), (.country, country), (.focus, focus), (.language, lang), (.level, level),
    ]
    for case (let option, let value?) in given {
      do { try query.set(option, to: value) } catch {
        throw ValidationError(error.sentence(option == .text ? "The text" : "--\(option.rawValue)") + ".")
      }
    }
    if text != nil {
      do { try query.requirePoint() } catch { throw ValidationError(error.sentence("The text") + ".") }
    }
    return query
  }
}
