import ArgumentParser
import Domain

/// The command `onthemap`. Every role and tool is a subcommand.
@main
struct OnTheMapCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "onthemap",
    abstract: "A shared map of the latest 100 posts, live.",
    discussion: """
      Options marked [ONTHEMAP_…] can also be set by environment variable or in a
      file (--config). Precedence: flag, environment, file, default.

      Examples:
        onthemap up
        onthemap post --user ada@example.org --place "Seattle, WA" \\
          --link example.org/ada --wait
        onthemap watch
      """,
    version: ProductVersion.text, subcommands: [SettingsCommand.self],
    groupedSubcommands: [
      CommandGroup(
        name: "Services",
        subcommands: [
          UpCommand.self, IngestCommand.self, WorkerCommand.self, FeedCommand.self, GatewayCommand.self,
        ]),
      CommandGroup(
        name: "Tools",
        subcommands: [
          PostCommand.self, WatchCommand.self, LoadCommand.self, GeocodeCommand.self, GazetteerCommand.self,
          KeysCommand.self, ConfigCommand.self, DoctorCommand.self, HealthCommand.self, QueueCommand.self,
          UserCommand.self, TopCommand.self, BackupCommand.self, RestoreCommand.self, DatabaseCommand.self,
          ConformanceCommand.self,
        ]),
    ])

  static func main() async {
    ServiceProcess.prepare()
    await main(nil)
  }
}
