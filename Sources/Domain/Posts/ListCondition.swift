/// Condition for posts of the list, in a part of Parse's query language (Parse, REST API guide, "Queries"). Clients of
/// the original service use equality, `$lt`, `$gt` and `$or`.
///
/// The type is in Domain because stores search by conditions. The parser is here too, because tests and fuzzers of
/// stores write conditions in that language.
package indirect enum ListCondition: Sendable, Equatable {
  /// Field to compare, by its name in the compatibility API.
  package enum Field: String, Sendable, CaseIterable {
    case objectId, uniqueKey, firstName, lastName, mapString, mediaURL, latitude, longitude, createdAt, updatedAt
  }

  /// Value to compare, in the form in which the store keeps the field.
  package enum Value: Sendable, Equatable {
    case text(String)
    /// Latitude or longitude, in degrees.
    case number(Double)
    /// Post id, account id, or milliseconds since 1970, UTC.
    case integer(Int64)
  }

  /// Comparison, by Parse's name.
  package enum Comparison: String, Sendable, CaseIterable {
    case equal = "$eq"
    case notEqual = "$ne"
    case less = "$lt"
    case lessOrEqual = "$lte"
    case greater = "$gt"
    case greaterOrEqual = "$gte"
  }

  case compare(Field, Comparison, Value)
  case among(Field, [Value])
  case not(ListCondition)
  /// Conjunction. True if it is empty.
  case all([ListCondition])
  /// Disjunction. False if it is empty.
  case any([ListCondition])

  /// Condition that holds for every post.
  package static let always = ListCondition.all([])
  /// Condition that holds for no post.
  package static let never = ListCondition.any([])

  /// Reason why a condition is invalid. Do not retry.
  package struct Refusal: Error, Equatable {
    /// Explanation for people: a sentence without its full stop.
    package let reason: String
  }

  /// Parses the value of `where`. An unknown field is null in every post.
  package init(_ value: JSONValue) throws(Refusal) {
    var reader = Reader()
    self = try reader.condition(value, depth: 0)
  }

  /// Account to which the condition restricts posts. Nil without such a restriction. The condition itself still has the
  /// comparison with the account.
  package var account: AccountID? {
    switch self {
    case .compare(.uniqueKey, .equal, .integer(let id)): AccountID(rawValue: id)
    case .all(let conditions): conditions.lazy.compactMap(\.account).first
    default: nil
    }
  }

  private struct Reader {
    var count = 0

    mutating func condition(_ value: JSONValue, depth: Int) throws(Refusal) -> ListCondition {
      guard case .object(let members) = value else {
        throw Refusal(reason: "where must be an object such as {\"uniqueKey\":\"1234\"}")
      }
      guard depth < Limits.whereDepthMax else {
        throw Refusal(reason: "where is nested more than \(Limits.whereDepthMax) deep")
      }
      var all: [ListCondition] = []
      for (name, value) in members.sorted(by: { $0.key < $1.key }) {
        switch name {
        case "$or": all.append(.any(try conditions(value, name, depth)))
        case "$and": all.append(.all(try conditions(value, name, depth)))
        case "$nor": all.append(.not(.any(try conditions(value, name, depth))))
        case _ where name.hasPrefix("$"): throw Refusal(reason: "where has \(name.quoted), which is not supported")
        default: all.append(try field(name, value))
        }
      }
      return all.count == 1 ? all[0] : .all(all)
    }

    private mutating func conditions(
      _ value: JSONValue, _ name: String, _ depth: Int
    ) throws(Refusal) -> [ListCondition] {
      guard case .array(let parts) = value else { throw Refusal(reason: "\(name) must be an array of objects") }
      var conditions: [ListCondition] = []
      for part in parts {
        // Count parts without a comparison too, because a store limits the number of joined conditions.
        try countComparison()
        conditions.append(try condition(part, depth: depth + 1))
      }
      return conditions
    }

    private mutating func field(_ name: String, _ value: JSONValue) throws(Refusal) -> ListCondition {
      let field = Field(rawValue: name)
      guard case .object(let operators) = value, operators["__type"] == nil else {
        return try compare(field, name, .equal, value)
      }
      if operators.isEmpty { try countComparison() }
      var all: [ListCondition] = []
      for (operation, operand) in operators.sorted(by: { $0.key < $1.key }) {
        all.append(try condition(field, name, operation, operand))
      }
      return all.count == 1 ? all[0] : .all(all)
    }

    private mutating func condition(
      _ field: Field?, _ name: String, _ operation: String, _ operand: JSONValue
    ) throws(Refusal) -> ListCondition {
      if let comparison = Comparison(rawValue: operation) { return try compare(field, name, comparison, operand) }
      switch (operation, operand) {
      case ("$in", .array(let values)): return try among(field, name, values)
      case ("$nin", .array(let values)): return .not(try among(field, name, values))
      case ("$in", _), ("$nin", _): throw Refusal(reason: "\(operation) must be an array")
      case ("$exists", .bool(let exists)):
        try countComparison()
        return (field != nil) == exists ? .always : .never
      case ("$exists", _): throw Refusal(reason: "$exists must be true or false")
      default: throw Refusal(reason: "where has \(operation.quoted), which is not supported")
      }
    }

    private mutating func among(_ field: Field?, _ name: String, _ values: [JSONValue]) throws(Refusal) -> ListCondition
    {
      var known: [Value] = []
      for value in values {
        try countComparison()
        if let field, let value = try Reader.value(value, of: field, name) { known.append(value) }
      }
      guard let field, !known.isEmpty else { return .never }
      return .among(field, known)
    }

    private mutating func compare(
      _ field: Field?, _ name: String, _ comparison: Comparison, _ value: JSONValue
    ) throws(Refusal) -> ListCondition {
      try countComparison()
      guard let field, value != .null, let value = try Reader.value(value, of: field, name) else {
        // An unknown field is null in every post. A known field is never null, and never has a value of another form.
        return (comparison == .notEqual) == (value != .null || field != nil) ? .always : .never
      }
      return .compare(field, comparison, value)
    }

    private mutating func countComparison() throws(Refusal) {
      count += 1
      guard count <= Limits.whereComparisonsMax else {
        throw Refusal(reason: "where has more than \(Limits.whereComparisonsMax) values to compare")
      }
    }

    /// Returns the stored form of a value. Nil for a value that no post can have in this field.
    private static func value(_ value: JSONValue, of field: Field, _ name: String) throws(Refusal) -> Value? {
      switch field {
      case .objectId:
        return try text(value, name).flatMap { PostID($0) }.map { .integer(Int64($0.rawValue)) }
      case .uniqueKey:
        let text = try text(value, name)
        return text.flatMap { text in Int64(text).flatMap { "\($0)" == text ? .integer($0) : nil } }
      case .firstName, .lastName, .mapString, .mediaURL: return try text(value, name).map { .text($0) }
      case .latitude, .longitude:
        guard let number = value.number else { throw Refusal(reason: "\(name) must be compared with a number") }
        return .number(number)
      case .createdAt, .updatedAt:
        let text = value["iso"]?.string ?? value.string
        guard let unixMs = text.flatMap({ unixMs(timestamp: $0) }) else {
          throw Refusal(reason: "\(name) must be compared with a time such as \"2026-02-25T01:10:38.103Z\"")
        }
        return .integer(unixMs)
      }
    }

    private static func text(_ value: JSONValue, _ name: String) throws(Refusal) -> String? {
      guard let text = value.string else { throw Refusal(reason: "\(name) must be compared with a string") }
      return text
    }
  }
}

extension String {
  fileprivate var quoted: String { "\"\(safeLine(bytesMax: Limits.quotedTextBytesMax))\"" }
}
