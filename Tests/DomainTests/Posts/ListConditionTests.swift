import Foundation
import Testing

@testable import Domain

@Suite("List conditions")
struct ListConditionTests {
  private func condition(_ text: String) throws -> ListCondition {
    try ListCondition(try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)))
  }

  @Test("Members become equalities that must all hold, and $or, $nor and $in are translated")
  func forms() throws {
    #expect(try condition("{}") == .always)
    #expect(try condition("{\"uniqueKey\":\"12\"}") == .compare(.uniqueKey, .equal, .integer(12)))
    #expect(
      try condition("{\"mapString\":\"Rome\",\"latitude\":{\"$gte\":1,\"$lt\":2}}")
        == .all([
          .all([.compare(.latitude, .greaterOrEqual, .number(1)), .compare(.latitude, .less, .number(2))]),
          .compare(.mapString, .equal, .text("Rome")),
        ]))
    #expect(
      try condition("{\"$or\":[{\"lastName\":\"Doe\"},{\"firstName\":{\"$ne\":\"Jo\"}}]}")
        == .any([.compare(.lastName, .equal, .text("Doe")), .compare(.firstName, .notEqual, .text("Jo"))]))
    #expect(
      try condition("{\"$nor\":[{\"lastName\":{\"$in\":[\"a\",\"b\"]}}]}")
        == .not(.any([.among(.lastName, [.text("a"), .text("b")])])))
    #expect(
      try condition("{\"createdAt\":{\"__type\":\"Date\",\"iso\":\"1970-01-01T00:00:01.5Z\"}}")
        == .compare(.createdAt, .equal, .integer(1_500)))
  }

  @Test(
    "A condition that no post can meet is never true, and its negation is always true",
    arguments: [
      ("{\"uniqueKey\":\"abc\"}", false), ("{\"uniqueKey\":\"012\"}", false), ("{\"objectId\":\"short\"}", false),
      ("{\"objectId\":{\"$ne\":\"short\"}}", true), ("{\"color\":1}", false), ("{\"color\":{\"$ne\":1}}", true),
      ("{\"color\":null}", true), ("{\"mapString\":null}", false), ("{\"mapString\":{\"$ne\":null}}", true),
      ("{\"color\":{\"$exists\":true}}", false), ("{\"mapString\":{\"$exists\":true}}", true),
      ("{\"mapString\":{\"$in\":[]}}", false),
    ])
  func decided(text: String, holds: Bool) throws {
    #expect(try condition(text) == (holds ? .always : .never))
  }

  @Test("A condition on uniqueKey restricts posts to its account, also together with other members")
  func account() throws {
    #expect(try condition("{\"uniqueKey\":\"7\"}").account == AccountID(rawValue: 7))
    #expect(try condition("{\"latitude\":1,\"uniqueKey\":\"7\"}").account == AccountID(rawValue: 7))
    for text in ["{}", "{\"uniqueKey\":{\"$ne\":\"7\"}}", "{\"$or\":[{\"uniqueKey\":\"7\"},{\"uniqueKey\":\"8\"}]}"] {
      #expect(try condition(text).account == nil)
    }
  }

  @Test("A condition has at most eight levels and a hundred comparisons")
  func limits() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "{\"$and\":[", count: depth - 1) + "{}" + String(repeating: "]}", count: depth - 1)
    }
    _ = try condition(nested(Limits.whereDepthMax))
    #expect(throws: ListCondition.Refusal.self) { try condition(nested(Limits.whereDepthMax + 1)) }
    func among(_ count: Int) -> String {
      "{\"uniqueKey\":{\"$in\":[" + (1...count).map { "\"\($0)\"" }.joined(separator: ",") + "]}}"
    }
    _ = try condition(among(Limits.whereComparisonsMax))
    #expect(throws: ListCondition.Refusal.self) { try condition(among(Limits.whereComparisonsMax + 1)) }
    // Empty parts count towards the limit too.
    for count in [Limits.whereComparisonsMax, Limits.whereComparisonsMax + 1] {
      let parts = Array(repeating: "{}", count: count).joined(separator: ",")
      let members = (0..<count).map { "\"a\($0)\":{}" }.joined(separator: ",")
      for text in ["{\"$or\":[\(parts)]}", "{\(members)}"] {
        let isAccepted = (try? condition(text)) != nil
        #expect(isAccepted == (count == Limits.whereComparisonsMax), "\(text.prefix(20))")
      }
    }
  }

  @Test(
    "An unknown operator or a wrong type is refused by name",
    arguments: [
      ("[]", "object"), ("{\"$where\":1}", "$where"), ("{\"a\":{\"$near\":1}}", "$near"), ("{\"$or\":1}", "$or"),
      ("{\"latitude\":\"1\"}", "latitude"), ("{\"mapString\":1}", "mapString"),
      ("{\"updatedAt\":\"now\"}", "updatedAt"),
      ("{\"uniqueKey\":1}", "uniqueKey"), ("{\"a\":{\"$exists\":1}}", "$exists"), ("{\"a\":{\"$in\":{}}}", "$in"),
    ])
  func refused(text: String, named: String) {
    let refusal = #expect(throws: ListCondition.Refusal.self) { try condition(text) }
    #expect(refusal?.reason.contains(named) == true)
  }
}
