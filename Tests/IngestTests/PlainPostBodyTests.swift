import Foundation
import Testing

@testable import Ingest

@Suite("A post in its plainest form")
struct PlainPostBodyTests {
  private func read(_ text: String) -> PostBody? { PostBody(plain: Array(text.utf8)[...]) }

  @Test(
    "It is read as JSONDecoder reads it",
    arguments: [
      #"{"place":"Oslo","link":"https://example.org/me"}"#, #" { "link" : "" , "place" : "Zürich 🏔" } "# + "\r",
      #"{"place":"{,}:","link":"[]","idempotencyKey":"k-1"}"#, "{\"place\":\"\u{7F}\u{FEFF}\",\"link\":\"e\u{301}\"}",
    ])
  func plain(text: String) throws {
    let decoded = try JSONDecoder().decode(PostBody.self, from: Data(text.utf8))
    #expect(read(text) == decoded)
  }

  @Test(
    "All else is left to JSONDecoder, be it right or wrong",
    arguments: [
      "", "{}", "{", "[]", #"{"place":"Oslo"}"#, #"{"place":"Oslo","link":"a","#, #"{"place":"Oslo","link":"a",}"#,
      #"{"place":"Oslo","link":"a"}}"#, #"{"place":"Oslo","link":"a"} x"#, #"{"place":"Os\u006co","link":"a"}"#,
      #"{"place":"Oslo","link":"a","link":"b"}"#, #"{"place":"Oslo","link":"a","latitude":1,"longitude":2}"#,
      #"{"place":"Oslo","link":null}"#, #"{"place":"Oslo","link":"a","other":"b"}"#, #"{"place":"Oslo" "link":"a"}"#,
      "{\"place\":\"Os\tlo\",\"link\":\"a\"}", "\u{FEFF}{\"place\":\"Oslo\",\"link\":\"a\"}",
      #"{place:"Oslo","link":"a"}"#,
      #"{"place":"Oslo","link":"a"#, #"{"place":"Oslo","link":"a""#, #"{"place","link"}"#, #"{:"Oslo","link":"a"}"#,
    ])
  func other(text: String) { #expect(read(text) == nil) }

  @Test("What is no UTF-8 is not taken")
  func bytes() {
    let line = Array(#"{"place":"Os"#.utf8) + [0xFF] + Array(#"lo","link":"a"}"#.utf8)
    #expect(PostBody(plain: line[...]) == nil)
  }
}
