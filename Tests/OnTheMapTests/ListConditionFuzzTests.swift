import Foundation
import Fuzzing
import Testing

@testable import OnTheMap

@Suite("Conditions that nobody has meant")
struct ListConditionFuzzTests {
  private static let seeds = [
    "{\"uniqueKey\":\"1234\"}", "{\"updatedAt\":{\"$lt\":\"2026-02-25T01:10:38.103Z\"}}",
    "{\"$or\":[{\"latitude\":{\"$gt\":1.5e1}},{\"mapString\":\"\\u00e9\"}]}",
    "{\"objectId\":{\"$in\":[\"aB3dE5gH7j\",null]}}",
    "{\"$and\":[{\"a\":{\"$exists\":true}},{\"$nor\":[{}]}]}", "{\"createdAt\":{\"__type\":\"Date\",\"iso\":\"x\"}}",
    "{\"$or\":[{\"$or\":[{\"$or\":[{\"$or\":[{}]}]}]}]}",
  ].map { Array($0.utf8) }

  @Test("A condition is refused, or is as small as its limits, and the same when it is read again")
  func conditions() {
    Fuzz.rounds(10_000) { random in
      let bytes = random.changed(random.one(of: Self.seeds), with: Self.seeds)
      guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes)),
        let condition = try? ListCondition(value)
      else { return false }
      let said = "\(String(decoding: bytes, as: UTF8.self).debugDescription) became \(condition)"
      try #require(try ListCondition(value) == condition, "\(said)")
      try #require(condition.comparisons <= Limits.whereComparisonsMax, "\(said)")
      return true
    }
  }
}

extension ListCondition {
  fileprivate var comparisons: Int {
    switch self {
    case .compare: 1
    case .among(_, let values): values.count
    case .not(let condition): condition.comparisons
    case .all(let conditions), .any(let conditions): conditions.map(\.comparisons).reduce(0, +)
    }
  }
}
