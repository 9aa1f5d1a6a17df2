/// Condition for posts of the list: the part of Parse's query language that clients of the original service use.
/// (Parse, REST API guide, "Queries". What those clients send are equality, `$lt`, `$gt` and `$or`.)
/// In the domain because stores search by it. Its parser stands here too: the tests and the fuzzing of stores write
/// conditions in that language.
package indirect enum ListCondition: Sendable, Equatable {
  /// What is compared, by the name that those clients know.
  package enum Field: String, Sendable, CaseIterable {
    case objectId, uniqueKey, firstName, lastName, mapString, mediaURL, latitude, longitude, createdAt, updatedAt
  }

  /// A value, in the form in which its field is stored.
  package enum Value: Sendable, Equatable {
    case text(String)
    /// Degrees.
    case number(Double)
    /// An id, an account's number, or milliseconds since 1970, UTC.
    case integer(Int64)
  }

  /// How a value compares, as Parse calls it.
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
  /// True where there is none.
  case all([ListCondition])
  /// False where there is none.
  case any([ListCondition])

  /// Holds for every post.
  package static let always = ListCondition.all([])
  /// Holds for none.
  package static let never = ListCondition.any([])

  /// Why a condition cannot be used. Final.
  package struct Refusal: Error, Equatable {
    /// A sentence without its full stop.
    package let reason: String
  }

  /// Reads the value of `where`.
  ///
  /// A field that posts do not have is one that none has: equal to nothing.
  package init(_ value: JSONValue) throws(Refusal) {
    var reader = Reader()
    self = try reader.condition(value, depth: 0)
  }

  /// The account whose posts alone can hold; nil where it may be any. What it says is part of the condition still.
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
        case _ where name.hasPrefix("$"): throw Refusal(reason: "where has \(name.complaint), which is not known here")
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
        // What compares nothing counts too: a store has a limit for what it joins.
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
      for (name_, operand) in operators.sorted(by: { $0.key < $1.key }) {
        all.append(try condition(field, name, name_, operand))
      }
      return all.count == 1 ? all[0] : .all(all)
    }

    private mutating func condition(
      _ field: Field?, _ name: String, _ word: String, _ operand: JSONValue
    ) throws(Refusal) -> ListCondition {
      if let comparison = Comparison(rawValue: word) { return try compare(field, name, comparison, operand) }
      switch (word, operand) {
      case ("$in", .array(let values)): return try among(field, name, values)
      case ("$nin", .array(let values)): return .not(try among(field, name, values))
      case ("$in", _), ("$nin", _): throw Refusal(reason: "\(word) must be an array")
      case ("$exists", .bool(let exists)):
        try countComparison()
        return (field != nil) == exists ? .always : .never
      case ("$exists", _): throw Refusal(reason: "$exists must be true or false")
      default: throw Refusal(reason: "where has \(word.complaint), which is not known here")
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
        // No post has it, and none is without one of those that posts have.
        return (comparison == .notEqual) == (value != .null || field != nil) ? .always : .never
      }
      return .compare(field, comparison, value)
    }

    private mutating func countComparison() throws(Refusal) {
      count += 1
      guard count <= Limits.whereComparisonsMax else {
        throw Refusal(reason: "where compares more than \(Limits.whereComparisonsMax) times")
      }
    }

    /// Nil for what no post can have there.
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
  fileprivate var complaint: String { "\"\(safeLine(bytesMax: Limits.complaintBytesMax))\"" }
}
