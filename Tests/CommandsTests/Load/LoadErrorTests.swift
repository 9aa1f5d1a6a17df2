import Foundation
import LoadTest
import Messaging
import Testing

@testable import Commands

@Suite("Errors of a load test on the command line")
struct LoadErrorTests {
  @Test("An error that an option causes names the option, what is expected and what came")
  func options() throws {
    let feed = try Endpoint("tcp://127.0.0.1:7710")
    let texts: [(LoadTestError, String)] = [
      (.placesUnreadable(path: "a.txt"), "--places must be a file of UTF-8 lines that can be read, not \"a.txt\"."),
      (
        .placeRefused(path: "a.txt", line: 3),
        "--places: line 3 of a.txt must be a place of at most 256 bytes without control characters."
      ),
      (.placesCount(path: "a.txt", count: 0), "--places must be a file of 1 to 1000000 places; a.txt has 0."),
      (
        .noTowns(path: "a.otm"),
        "--gazetteer (ONTHEMAP_GAZETTEER) must be a gazetteer with towns; or give --places, not \"a.otm\"."
      ),
      (
        .silentFeed(feed),
        "--feed (ONTHEMAP_FEED) must be the address of a feed that answers, not \"tcp://127.0.0.1:7710\"."
      ),
      (
        .foreignFeed(feed),
        "--feed (ONTHEMAP_FEED) must be a feed of the same ingest as --server, not \"tcp://127.0.0.1:7710\"."
      ),
    ]
    for (error, text) in texts { #expect(SettingError(error).description == text) }
  }

  @Test("An error of the server is shown in its own words")
  func server() throws {
    let server = try #require(URL(string: "http://127.0.0.1:1"))
    let texts: [(LoadTestError, String)] = [
      (.notLoggedIn(problem: "the server answered 500"), "Not logged in: the server answered 500."),
      (.unreachable(server: server, reason: "refused"), "http://127.0.0.1:1 cannot be reached: refused"),
      (
        .storeUnreadable(path: "/v2/feed", problem: "the server answered 404"),
        "The store cannot be read (GET /v2/feed): the server answered 404."
      ),
    ]
    for (error, text) in texts { #expect(SettingError(error).description == text) }
  }
}
