import ArgumentParser
import Domain

/// `onthemap`: every role and tool is a subcommand.
@main
struct OnTheMapCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "onthemap",
    abstract: "People put themselves on a shared map, and everybody sees the latest 100, live.",
    discussion: """
      Options that name a [ONTHEMAP_...] can also be set in the environment, or in a
      file of such lines (--config). A flag wins over the environment, that over the
      file, that over the default.

      Examples:
        onthemap up
        onthemap post --user ada@example.org --place "Seattle, WA" \\
          --link example.org/ada --wait
        onthemap watch
      """,
    version: ProductVersion.text, subcommands: [SettingsCommand.self],
    groupedSubcommands: [
      CommandGroup(
        name: "Services", subcommands: [UpCommand.self, IngestCommand.self, GeocoderCommand.self, FeedCommand.self]),
      CommandGroup(
        name: "Tools",
        subcommands: [
          PostCommand.self, WatchCommand.self, LoadCommand.self, GeocodeCommand.self, GazetteerCommand.self,
          KeysCommand.self, HealthCommand.self, QueueCommand.self, UserCommand.self, TopCommand.self,
          ConformCommand.self,
        ]),
    ])

  static func main() async {
    ServiceProcess.prepare()
    await main(nil)
  }
}
