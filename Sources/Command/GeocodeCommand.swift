import ArgumentParser
import Gazetteer
import OnTheMap

struct GeocodeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "geocode", abstract: "Find the places that a text means, from the gazetteer, without a server.",
    discussion: """
      Exits with 1 when no place is known by the text.

      Examples:
        onthemap geocode "Seattle, WA"
        onthemap geocode --limit 5 --json Springfield
        onthemap geocode -- "-33.87, 151.21"
      """)

  @Argument(help: "The place, in any words.")
  var text: String
  @Option(help: "Places wanted, 1 to 20.")
  var limit = 1
  @Option(help: "Only places of this country, by its two letters.")
  var country: String?
  @Flag(help: "One JSON object for each place.")
  var json = false
  @Option(help: "The compiled gazetteer. [ONTHEMAP_GAZETTEER, default: gazetteer.otm beside the program]")
  var gazetteer: String?
  @OptionGroup var common: CommonOptions

  func validate() throws {
    guard (1...Limits.candidatesMax).contains(limit) else {
      throw ValidationError("--limit must be a number from 1 to \(Limits.candidatesMax), not \(limit).")
    }
    guard country?.utf8.count ?? 2 == 2 else {
      throw ValidationError("--country must be two letters, such as US, not \"\(country ?? "")\".")
    }
    guard (1...Limits.placeBytesMax).contains(text.utf8.count) else {
      throw ValidationError("The text must have 1 to \(Limits.placeBytesMax) bytes.")
    }
  }

  func run() async throws {
    let settings = try await Settings(common)
    let index = try PlaceIndex(path: try settings.gazetteer(flag: gazetteer))
    let places = index.locate(PlaceQuery(text, limit: limit, country: country?.uppercased()))
    guard !places.isEmpty else {
      complain("No place is known by \"\(text)\".")
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
}
