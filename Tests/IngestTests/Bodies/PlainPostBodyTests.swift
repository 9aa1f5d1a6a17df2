import Domain
import Foundation
import HTTPTypes
import Testing
import Web

@testable import Ingest

@Suite("Plain reader of post bodies")
struct PlainPostBodyTests {
  private func read(_ text: String) -> PostBody? { PostBody(plain: Array(text.utf8)[...]) }

  @Test(
    "The plain reader reads a simple body like the decoder",
    arguments: [
      #"{"place":"Oslo","link":"https://example.org/me"}"#, #" { "link" : "" , "place" : "Zürich 🏔" } "# + "\r",
      #"{"place":"{,}:","link":"[]","idempotencyKey":"k-1"}"#, "{\"place\":\"\u{7F}\u{FEFF}\",\"link\":\"e\u{301}\"}",
    ])
  func plain(text: String) throws {
    let decoded = try RequestBody.decoded(PostBody.self, Array(text.utf8), JSONDecoder())
    #expect(read(text) == decoded)
  }

  @Test(
    "The plain reader leaves every other body to the decoder",
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

  @Test(
    "A body with an extra comma or a repeated name is refused by both readers",
    arguments: [
      (#"{"place":"Oslo","link":"a.b",}"#, "a comma"), (#"{"place":"Oslo","link":"a.b" , }"#, "a comma"),
      (#"{"x":[1,],"place":"Oslo","link":"a.b"}"#, "a comma"), (#"[1,]"#, "a comma"),
      (#"{"place":"Rome","place":"Paris","link":"a.b"}"#, #""place""#),
      (#"{"place":"Rome","link":"a.b","pl\u0061ce":"Paris"}"#, #""place""#),
      (#"{"place":"Rome","link":"a.b","x":[{"y":{},"y":1}]}"#, #""y""#), (#"{"":1,"":2}"#, #""""#),
      (#"{"a\"b":1,"a\"b":2}"#, #""a"b""#),
    ])
  func shape(text: String, named: String) throws {
    #expect(read(text) == nil)
    let problem = #expect(throws: Problem.self) {
      try RequestBody.decoded(JSONValue.self, Array(text.utf8), JSONDecoder())
    }
    #expect(problem?.status == .badRequest && problem?.code == "invalid_json")
    #expect(problem?.detail.contains(named) == true, "\(problem?.detail ?? "")")
  }

  @Test(
    "A name may appear once in each object, and text inside strings does not matter",
    arguments: [
      #"{"a":{"a":1},"b":[{"a":1},{"a":2}]}"#, #"{"a":"b,}","b":",]"}"#, #"{"a":"a","b":"a"}"#, #"["a","a",{"a":"a"}]"#,
      #"{"a":"\\","b":"\"",  "c":"\\\","}"#, "[]", "{}", #""a,""#, "1",
    ])
  func noFlaw(text: String) throws {
    #expect(JSONShape.flaw(in: text.utf8) == nil)
    _ = try RequestBody.decoded(JSONValue.self, Array(text.utf8), JSONDecoder())
  }

  @Test("A body in UTF-16 is refused with the required encoding")
  func encoding() throws {
    let bytes = Array(#"{"place":"Oslo","link":"a.b"}"#.utf16).flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let problem = #expect(throws: Problem.self) { try RequestBody.decoded(JSONValue.self, bytes, JSONDecoder()) }
    #expect(problem?.code == "invalid_json" && problem?.detail.contains("UTF-8") == true)
  }

  @Test("The plain reader leaves invalid UTF-8 to the decoder")
  func bytes() {
    let line = Array(#"{"place":"Os"#.utf8) + [0xFF] + Array(#"lo","link":"a"}"#.utf8)
    #expect(PostBody(plain: line[...]) == nil)
  }
}
