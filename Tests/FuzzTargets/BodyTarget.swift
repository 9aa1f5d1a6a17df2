import Foundation
import HTTPTypes
import Store

@testable import Domain
@testable import Ingest
@testable import Web

/// The target for request bodies. A route refuses a body with a readable problem, or decodes values within the limits.
enum BodyTarget {
  private static let decoder = JSONDecoder()

  static func read(_ input: [UInt8]) throws -> Bool {
    var accepted = 0
    func attempt(_ form: () throws -> Void) throws {
      do {
        try form()
        accepted += 1
      } catch let problem as Problem {
        try check(problem)
      } catch let refusal as Submission.Refusal { try check(Problem(refusal)) }
    }
    try attempt { try check(try decoded(PostBody.self, input).submission(trace: nil)) }
    try attempt { try lines(input) }
    try attempt {
      let body = try decoded(AccountRoutes.SignUp.self, input)
      let registration = try Registration(
        email: body.email, password: body.password, firstName: body.firstName, lastName: body.lastName ?? "")
      try check(names: [registration.firstName, registration.lastName], email: registration.email)
      try Finding.unless(
        (Limits.passwordBytesMin...Limits.passwordBytesMax).contains(registration.password.utf8.count), "\(body)")
    }
    try attempt {
      let body = try decoded(ProfileRoutes.Change.self, input)
      let change = try ProfileChange(email: body.email, firstName: body.firstName, lastName: body.lastName)
      try check(names: [change.firstName ?? "", change.lastName ?? ""], email: change.email ?? "a@b.c")
    }
    try attempt { try Registration.check(password: try decoded(SessionRoutes.PasswordChange.self, input).password) }
    try attempt { _ = try decoded(AccountRoutes.LogIn.self, input) }
    try attempt {
      let post = try CompatPost(try decoded(JSONValue.self, input))
      try check(try post.submission(place: post.place ?? "Oslo", link: post.link ?? "", coordinate: nil))
    }
    for acceptsFacebook in [true, false] {
      try attempt {
        switch try CompatCredential(try decoded(JSONValue.self, input), acceptsFacebook: acceptsFacebook) {
        case .password(let email, let password): try Finding.unless(!email.isEmpty && !password.isEmpty, "\(input)")
        case .facebook(let token): try Finding.unless(acceptsFacebook && !token.isEmpty, "\(input)")
        }
      }
    }
    return accepted > 0
  }

  private static func decoded<Value: Decodable>(_ type: Value.Type, _ input: [UInt8]) throws -> Value {
    try RequestBody.decoded(type, input, decoder)
  }

  /// Checks a bulk body with one post on each line. The result for a line does not depend on the other lines.
  private static func lines(_ input: [UInt8]) throws {
    let lines = try BulkRoutes.lines(input)
    try Finding.unless((1...Limits.bulkPostsMax).contains(lines.count), "\(lines.count) lines")
    for line in lines {
      try Finding.unless(!line.contains(UInt8(ascii: "\n")), "\(line)")
      if let plain = PostBody(plain: line) {
        try Finding.unless(plain == (try? decoded(PostBody.self, Array(line))), "\(plain) is decoded in two ways")
      }
      try shape(Array(line))
      do {
        let body = try decoded(PostBody.self, Array(line))
        let submission = try body.submission(trace: nil)
        try check(submission)
        if let key = body.idempotencyKey { _ = try Idempotency(key: key, of: submission) }
      } catch let problem as Problem { try check(problem) }
    }
  }

  /// Checks that the decoder refuses an accepted object with an extra comma or with a repeated member.
  private static func shape(_ line: [UInt8]) throws {
    guard case .object(let members)? = try? decoded(JSONValue.self, line),
      let end = line.lastIndex(of: UInt8(ascii: "}")), let name = members.keys.first
    else { return }
    let again = JSONWriter.object { $0.add(name, 0) }.bytes.dropFirst().dropLast()
    for addition in [[], Array(again)] {
      let changed = line[..<end] + [UInt8(ascii: ",")] + addition + line[end...]
      try Finding.unless((try? decoded(JSONValue.self, Array(changed))) == nil, "\(changed) is accepted")
    }
  }

  private static func check(_ submission: Submission) throws {
    let place = submission.place
    try Finding.unless((1...Limits.placeBytesMax).contains(place.utf8.count), "\(submission)")
    try Finding.unless(VisibleText(place).refusalReason == nil && VisibleText(place).showsSomething, "\(submission)")
    try Finding.unless(!submission.link.isEmpty || submission.linkText != nil, "\(submission)")
    let again = try Submission(
      place: place, link: submission.linkText ?? submission.link, latitude: submission.coordinate?.latitude,
      longitude: submission.coordinate?.longitude, allowsAnyLink: submission.linkText != nil)
    try Finding.unless(
      again.place == place && again.link == submission.link && again.coordinate == submission.coordinate,
      "\(submission) became \(again)")
  }

  private static func check(names: [String], email: String) throws {
    for name in names {
      try Finding.unless(name.utf8.count <= Limits.nameBytesMax && VisibleText(name).refusalReason == nil, "\(names)")
    }
    try Finding.unless(email.utf8.count <= Limits.emailBytesMax && email.isSafeLine, email)
    try Finding.unless((try? Registration.checked(email: email)) == email, email)
  }

  /// Checks that a problem has a 4xx status and readable JSON.
  private static func check(_ problem: Problem) throws {
    let json = problem.json.bytes
    try Finding.unless((400...499).contains(problem.status.code), "\(problem)")
    try Finding.unless(json.count <= 2_048, "\(json.count) bytes: \(problem)")
    let read = try? decoder.decode(JSONValue.self, from: Data(json))
    try Finding.unless(read?["detail"]?.string == problem.detail, "\(problem)")
  }
}
