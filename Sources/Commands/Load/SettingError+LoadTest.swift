import Domain
import LoadTest

extension SettingError {
  /// Converts an error of a load test to the terms of the command line.
  init(_ error: LoadTestError) {
    switch error {
    case .placesUnreadable(let path):
      self.init("--places must be a readable file of UTF-8 lines, not \"\(path)\".")
    case .placeRefused(let path, let line):
      self.init(
        "--places: line \(line) of \(path) must be a place of at most \(Limits.placeBytesMax) bytes "
          + "without control characters.")
    case .placesCount(let path, let count):
      self.init("--places must be a file of 1 to \(LoadLimits.placesMax) places; \(path) has \(count).")
    case .noCities(let path):
      self.init(.gazetteer, expected: "a gazetteer with cities (or pass --places)", actual: path)
    case .silentFeed(let feeds):
      self.init(
        .feed, expected: "the address of a running feed whose keys permit this client (--feed-key, --key-file)",
        actual: LoadTestError.list(feeds))
    case .foreignFeed(let feeds):
      self.init(.feed, expected: "a feed of the same ingest as --server", actual: LoadTestError.list(feeds))
    case .notLoggedIn, .unreachable, .storeUnreadable: self.init(error.description)
    }
  }
}
