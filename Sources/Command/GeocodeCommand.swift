import ArgumentParser
import Foundation
import Gazetteer
import OnTheMap

struct GeocodeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "geocode", abstract: "Find the places that a text means, from the gazetteer, without a server.",
    discussion: """
      Exits with 1 when no place is known by the text.

      --score reads a CSV file with the columns query, lat, lon and tolerance_km, and
      says how many of its texts are found where they should be, by kind (or
      category), and how often confident answers are right; then it lists the rest.
      With expected_city instead of query it looks up what is around each point. The
      columns country_filter, focus_lat, focus_lon, lang and top_k are heeded.

      Examples:
        onthemap geocode "Seattle, WA"
        onthemap geocode --limit 5 --json Springfield
        onthemap geocode -- "-33.87, 151.21"
        onthemap geocode --score cases.csv
      """)

  @Argument(help: "The place, in any words.")
  var text: String?
  @Option(help: "Places wanted, 1 to 20.")
  var limit: String?
  @Option(help: "Only places of this country, by its two letters.")
  var country: String?
  @Option(parsing: .unconditional, help: "LAT,LON: places near it are preferred to others of about their size.")
  var focus: String?
  @Option(help: "The language of the answers, by its two letters.")
  var lang: String?
  @Option(help: "Only places of these levels: country, region, county, city, postcode, street, house.")
  var level: String?
  @Flag(help: "The last word may be only begun.")
  var prefix = false
  @Flag(help: "The text is a point, LAT,LON; find the towns around it.")
  var reverse = false
  @Option(help: "A CSV file of texts and where they are: say how right the gazetteer is. - for standard input.")
  var score: String?
  @Flag(help: "One JSON object for each place.")
  var json = false
  @Option(help: "The compiled gazetteer. [ONTHEMAP_GAZETTEER, default: gazetteer.otm beside the program]")
  var gazetteer: String?
  @OptionGroup var common: CommonOptions

  func validate() throws {
    guard [text, score].compactMap({ $0 }).count == 1 else {
      throw ValidationError("Give a text, or --score FILE, and not both.")
    }
    _ = try query()
  }

  func run() async throws {
    let settings = try await Settings(common)
    let index = try PlaceIndex(path: try settings.gazetteer(flag: gazetteer))
    if let score { return try run(score: score, index) }
    let query = try query()
    let places = index.locate(query)
    guard !places.isEmpty else {
      complain("No place is known by \"\(query.text)\".")
      throw ExitCode(1)
    }
    for place in places {
      if json {
        say(String(decoding: JSONText.object { place.write(to: &$0) }.bytes, as: UTF8.self))
      } else {
        say(
          "\(place.label)  \(place.coordinate.latitude), \(place.coordinate.longitude)  "
            + "(\(place.level.word), \(place.match.word), \(Int((place.confidence * 100).rounded())) %)")
      }
    }
  }

  private func run(score path: String, _ index: PlaceIndex) throws {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw SettingError(
        "--score must be a file that can be read, not \"\(path)\": \(String(cString: strerror(errno))).")
    }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    let defaults = try query()
    do throws(TableProblem) {
      let report = ScoreReport(score: try ScoreTable.score(descriptor: descriptor, defaults: defaults, index))
      say(json ? report.json : report.text)
      for problem in report.score.problems { complain("\(path), \(problem)") }
    } catch { throw SettingError("--score \(path): \(error).") }
  }

  /// The question of the flags.
  ///
  /// - Throws: `ValidationError`, which names the flag.
  private func query() throws -> PlaceQuery {
    var query = PlaceQuery("", kind: reverse ? .reverse : prefix ? .prefix : .forward, isDetailed: true)
    do throws(InvalidOption) {
      if let text { try query.set(.text, to: text) }
      for (option, value) in [
        (PlaceQuery.Option.limit, limit), (.country, country), (.focus, focus), (.language, lang), (.level, level),
      ] { if let value { try query.set(option, to: value) } }
    } catch {
      throw ValidationError(error.sentence(error.option == .text ? "The text" : "--\(error.option.rawValue)") + ".")
    }
    return query
  }
}
