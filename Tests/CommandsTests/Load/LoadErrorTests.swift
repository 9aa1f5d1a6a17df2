import Foundation
import LoadTest
import Messaging
import Testing

@testable import Commands

@Suite("Load test errors on the command line")
struct LoadErrorTests {
  @Test("An option's error names the option, the expected value and the given one")
  func options() throws {
    let feed = try Endpoint("tcp://127.0.0.1:7710")
    let texts: [(LoadTestError, String)] = [
      (.placesUnreadable(path: "a.txt"), "--places must be a readable file of UTF-8 lines, not \"a.txt\"."),
      (
        .placeRefused(path: "a.txt", line: 3),
        "--places: line 3 of a.txt must be a place of at most 256 bytes without control characters."
      ),
      (.placesCount(path: "a.txt", count: 0), "--places must be a file of 1 to 1000000 places; a.txt has 0."),
      (
        .noCities(path: "a.otm"),
        "--gazetteer (ONTHEMAP_GAZETTEER) must be a gazetteer with cities (or pass --places), not \"a.otm\"."
      ),
      (
        .silentFeed([feed]),
        "--feed (ONTHEMAP_FEED) must be the address of a running feed whose keys permit this client "
          + "(--feed-key, --key-file), not \"tcp://127.0.0.1:7710\"."
      ),
      (
        .foreignFeed([feed]),
        "--feed (ONTHEMAP_FEED) must be a feed of the same ingest as --server, not \"tcp://127.0.0.1:7710\"."
      ),
    ]
    for (error, text) in texts { #expect(SettingError(error).description == text) }
  }

  @Test("A server's error is shown in the server's words")
  func server() throws {
    let server = try #require(URL(string: "http://127.0.0.1:1"))
    let texts: [(LoadTestError, String)] = [
      (
        .notLoggedIn(problem: "the server responded with status 500"),
        "login failed: the server responded with status 500."
      ),
      (.unreachable(server: server, reason: "refused"), "cannot reach http://127.0.0.1:1: refused"),
      (
        .storeUnreadable(path: "/v2/feed", problem: "the server responded with status 404"),
        "cannot read the store (GET /v2/feed): the server responded with status 404."
      ),
    ]
    for (error, text) in texts { #expect(SettingError(error).description == text) }
  }
}
