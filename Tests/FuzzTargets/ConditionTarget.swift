import Domain
import Foundation
import GRDB
import Logging
import Store
import Synchronization

@testable import SQLiteStore

/// The target for values of `where`. An accepted value is within the limits and always decodes to the same condition.
/// The condition selects in SQLite exactly the posts that it describes.
enum ConditionTarget {
  private static let decoder = JSONDecoder()
  private static let posts = Posts()

  static func read(_ input: [UInt8]) throws -> Bool {
    guard let value = try? decoder.decode(JSONValue.self, from: Data(input)) else { return false }
    let condition: ListCondition
    do { condition = try ListCondition(value) } catch {
      try Finding.unless(error.reason.isSafeLine && error.reason.utf8.count <= 512, error.reason)
      return false
    }
    let message = "\(String(decoding: input, as: UTF8.self).debugDescription) became \(condition)"
    try Finding.unless((try? ListCondition(value)) == condition, message)
    try Finding.unless(condition.comparisons <= Limits.whereComparisonsMax, message)
    let found = Set(try posts.found(by: condition).map(\.entry.id))
    for post in posts.all { try Finding.unless(found.contains(post.entry.id) == condition.holds(for: post), message) }
    return true
  }
}

/// Stored posts that differ in every field of a condition.
private final class Posts: Sendable {
  let all: [ListedPost]
  private let memory: DatabaseQueue

  init() {
    let folder = FileManager.default.temporaryDirectory.appending(path: "onthemap-fuzz-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    do {
      let store = try SQLiteDatabase(folder: folder, logger: Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() })
      try Posts.fill(store)
      memory = try DatabaseQueue()
      try store.pool.backup(to: memory)
      all = try memory.read { try SQLiteDatabase.listed(ListQuery(), in: $0) }
    } catch { fatalError("cannot make the store of the fuzz target: \(error)") }
  }

  func found(by condition: ListCondition) throws -> [ListedPost] {
    try memory.read { try SQLiteDatabase.listed(ListQuery(condition: condition), in: $0) }
  }

  private static func fill(_ store: SQLiteDatabase) throws {
    let names = [("Ada", ""), ("B\u{FC}cher", "O'Neil")]
    var accounts: [AccountID] = []
    for (index, name) in names.enumerated() {
      let account: Account? = try wait { then in
        let numbers = store.committer.engine.numbers
        store.submit(
          { db in
            try Account.insert(
              email: "a\(index)@b", password: "", firstName: name.0, lastName: name.1,
              isEmailConfirmed: false, unixMs: 1, numbers, db)
          }, then: then)
      }
      if let account { accounts.append(account.id) }
    }
    let posts = [
      ("Seattle, WA", "https://example.org", 47.6, -122.33), ("%_'\"", "no link", 0, 0),
      ("\u{6771}\u{4EAC}", "", -90, 180),
    ]
    for (index, post) in posts.enumerated() {
      let submission = try Submission(
        place: post.0, link: post.1, latitude: post.2, longitude: post.3, allowsAnyLink: true)
      let unixMs = 1_700_000_000_000 + Int64(index) * 1_000
      let acceptances = try wait { then in
        store.accept(
          [NewPost(submission, nil)], account: accounts[index % 2], capacity: 1, unixMs: unixMs,
          completion: CommitCompletion(then))
      }
      guard case .accepted(let accepted)? = acceptances.first, let coordinate = submission.coordinate else { continue }
      let verdict = Verdict.Published(
        coordinate: coordinate, label: "", countryCode: "", agreement: .unverified, match: nil)
      _ = try wait { then in
        store.settle(
          [SettlementRecord(accepted.id, .verdict(.published(verdict)))], unixMs: unixMs + 100,
          completion: CommitCompletion(then))
      }
    }
  }

  /// Waits until the writer's thread has completed the work. Returns the result, or throws the store's error.
  private static func wait<Value: Sendable>(
    _ work: (@escaping @Sendable (Result<Value, StoreError>) -> Void) -> Void
  ) throws -> Value {
    let done = DispatchSemaphore(value: 0)
    let result = Mutex<Result<Value, StoreError>?>(nil)
    work { value in
      result.withLock { $0 = value }
      done.signal()
    }
    done.wait()
    guard let value = result.withLock({ $0 }) else { preconditionFailure("The writer completes before it signals.") }
    return try value.get()
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

  /// Evaluates the condition without SQL.
  fileprivate func holds(for post: ListedPost) -> Bool {
    switch self {
    case .compare(let field, let comparison, let value): comparison.holds(field.value(of: post), value)
    case .among(let field, let values): values.contains { Comparison.equal.holds(field.value(of: post), $0) }
    case .not(let condition): !condition.holds(for: post)
    case .all(let conditions): conditions.allSatisfy { $0.holds(for: post) }
    case .any(let conditions): conditions.contains { $0.holds(for: post) }
    }
  }
}

extension ListCondition.Field {
  fileprivate func value(of post: ListedPost) -> ListCondition.Value {
    let entry = post.entry
    return switch self {
    case .objectId: .integer(Int64(entry.id.rawValue))
    case .uniqueKey: .integer(entry.account.rawValue)
    case .firstName: .text(entry.firstName)
    case .lastName: .text(entry.lastName)
    case .mapString: .text(entry.place)
    case .mediaURL: .text(post.linkText ?? entry.link)
    case .latitude: .number(entry.coordinate.latitude)
    case .longitude: .number(entry.coordinate.longitude)
    case .createdAt: .integer(entry.createdMs)
    case .updatedAt: .integer(entry.updatedMs)
    }
  }
}

extension ListCondition.Comparison {
  /// Compares two values. Compares texts by their bytes.
  fileprivate func holds(_ a: ListCondition.Value, _ b: ListCondition.Value) -> Bool {
    switch (a, b) {
    case (.text(let a), .text(let b)):
      let isLess = a.utf8.lexicographicallyPrecedes(b.utf8)
      return holds(isLess: isLess, isEqual: a.utf8.elementsEqual(b.utf8))
    case (.number(let a), .number(let b)): return holds(isLess: a < b, isEqual: a == b)
    case (.integer(let a), .integer(let b)): return holds(isLess: a < b, isEqual: a == b)
    default: return false
    }
  }

  private func holds(isLess: Bool, isEqual: Bool) -> Bool {
    switch self {
    case .equal: isEqual
    case .notEqual: !isEqual
    case .less: isLess
    case .lessOrEqual: isLess || isEqual
    case .greater: !isLess && !isEqual
    case .greaterOrEqual: !isLess
    }
  }
}
