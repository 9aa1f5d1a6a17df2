import Dispatch
import Domain
import Foundation
import InMemoryLogging
import Logging
import StubServers
import Testing

@testable import Mail

@Suite("Mail queue")
struct MailQueueTests {
  /// A queue with a stub server and its log.
  private struct Fixture {
    let stub: MailStub
    let queue: MailQueue
    let log: InMemoryLogHandler

    init(
      _ stub: MailStub, isPlaintext: Bool? = nil, user: String = "", password: String = "", retryMs: Int64 = 10
    ) throws {
      let log = InMemoryLogHandler()
      (self.stub, self.log) = (stub, log)
      let server = try SMTPServer(url: stub.url, isPlaintext: isPlaintext, user: user, password: password)
      let address = try #require(MailAddress("map@example.org"))
      var configuration = MailConfiguration(
        server: server, sender: MailMessage.Mailbox(name: HeaderText("On The Map"), address: address))
      configuration.retryMs = retryMs
      queue = MailQueue(configuration, logger: Logger(label: "mail") { _ in log })
    }

    /// Queues a mail with this body.
    func send(_ body: String, expiresMs: Int64 = .max) throws {
      let mailboxes = try ["map", "ada"].map {
        MailMessage.Mailbox(name: HeaderText($0), address: try #require(MailAddress("\($0)@example.org")))
      }
      let message = MailMessage(
        from: mailboxes[0], to: mailboxes[1], subject: HeaderText("Hello"), language: .english, body: body, unixMs: 0)
      #expect(queue.submit(MailQueue.Order(purpose: .recovery, expiresMs: expiresMs) { message }))
    }

    var logged: [String] { log.entries.map { "\($0.message)" } }

    /// Waits until the log has a line.
    func waits(for line: String) async throws {
      let end = ContinuousClock.now + .seconds(60)
      while !logged.contains(line), ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(10)) }
      #expect(logged.contains(line), "\(logged)")
    }
  }

  @Test("A mail arrives unchanged, also with lines that begin with a dot")
  func arrives() async throws {
    let fixture = try Fixture(try MailStub())
    let body = ".\n..\n.a\nGrüße\n\n" + String(repeating: "x", count: 2_000)
    try fixture.send(body)
    try await fixture.waits(for: "mail sent")
    let message = try #require(fixture.stub.messages.first)
    #expect(message.sender == "map@example.org" && message.recipient == "ada@example.org")
    #expect(message.client == "example.org" && message.login == nil)
    #expect(message.body.replacingOccurrences(of: "\r\n", with: "\n") == body)
    #expect(message.header("Subject") == "Hello")
  }

  @Test("A login sends the user and the password")
  func login() async throws {
    let fixture = try Fixture(try MailStub(extensions: ["AUTH PLAIN"]), user: "map", password: "hunter2")
    try fixture.send("Hello")
    try await fixture.waits(for: "mail sent")
    #expect(fixture.stub.messages.first?.login == "map hunter2")
  }

  @Test(
    "A temporary failure is retried until the mail arrives",
    arguments: [("MAIL", "451 later"), ("RCPT", "450 greylisted"), (".", "452 full"), ("", "421 busy"), ("EHLO", "")])
  func temporary(verb: String, reply: String) async throws {
    let fixture = try Fixture(try MailStub())
    fixture.stub.refuse(verb, with: reply, times: 2)
    try fixture.send("Hello")
    try await fixture.waits(for: "mail sent")
    #expect(fixture.stub.messages.count == 1)
    #expect(fixture.logged.count { $0 == "mail deferred" } >= 1)
  }

  @Test("A permanent refusal, a refused or missing login and a missing STARTTLS end the mail without a retry")
  func permanent() async throws {
    let refused = try Fixture(try MailStub())
    refused.stub.refuse("RCPT", with: "550 no such mailbox")
    let login = try Fixture(try MailStub(extensions: ["AUTH PLAIN"]), user: "map", password: "a guess")
    login.stub.refuse("AUTH", with: "535 wrong")
    let noLogin = try Fixture(try MailStub(), user: "map", password: "hunter2")
    let plaintext = try Fixture(try MailStub(), isPlaintext: false)
    let broken = try Fixture(try MailStub(extensions: ["STARTTLS"]), isPlaintext: false)
    broken.stub.refuse("STARTTLS", with: "454 not available")
    for fixture in [refused, login, noLogin, plaintext, broken] {
      try fixture.send("Hello")
      try await fixture.waits(for: "mail not sent")
      #expect(fixture.stub.messages.isEmpty && fixture.stub.connectionCount == 1, "\(fixture.logged)")
      #expect(!fixture.logged.contains("mail deferred"))
    }
  }

  @Test("The attempts end after six failures, and when the link of the mail expires")
  func ends() async throws {
    let tired = try Fixture(try MailStub())
    tired.stub.refuse("MAIL", with: "451 later")
    try tired.send("Hello")
    try await tired.waits(for: "mail not sent")
    #expect(tired.stub.connectionCount == Limits.mailAttemptsMax)
    let expired = try Fixture(try MailStub())
    expired.stub.refuse("MAIL", with: "451 later")
    try expired.send("Hello", expiresMs: 0)
    try await expired.waits(for: "mail not sent")
    #expect(expired.stub.connectionCount == 1)
  }

  @Test("A server that is away is retried")
  func away() async throws {
    let stub = try MailStub()
    let port = stub.port
    let fixture = try Fixture(stub, retryMs: 200)
    stub.end()
    try fixture.send("Hello")
    try await fixture.waits(for: "mail deferred")
    let back = try MailStub(port: port)
    try await fixture.waits(for: "mail sent")
    #expect(back.messages.count == 1)
  }

  @Test("The queue is bounded, and refuses mails after its end")
  func bounded() async throws {
    let fixture = try Fixture(try MailStub())
    // The order keeps its slot until the end of the queue cancels it.
    let order = MailQueue.Order(purpose: .confirmation, expiresMs: .max) {
      try await Task.sleep(for: .seconds(600))
      return nil
    }
    for _ in 0..<Limits.mailsWaitingMax { #expect(fixture.queue.submit(order)) }
    #expect(!fixture.queue.submit(order))
    fixture.queue.end()
    #expect(!fixture.queue.submit(order))
  }

  @Test("An order without a mail frees its slot")
  func nothing() async throws {
    let fixture = try Fixture(try MailStub())
    let order = MailQueue.Order(purpose: .recovery, expiresMs: .max) { nil }
    let end = ContinuousClock.now + .seconds(60)
    for _ in 0..<2 * Limits.mailsWaitingMax {
      while !fixture.queue.submit(order), ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(1)) }
    }
    #expect(ContinuousClock.now < end, "Orders without a mail keep their slots.")
    #expect(fixture.stub.connectionCount == 0)
  }

  @Test("A check connects and logs in, and sends no mail")
  func check() async throws {
    let stub = try MailStub(extensions: ["AUTH PLAIN"])
    let sender = try #require(MailAddress("map@example.org"))
    func failure(isPlaintext: Bool? = nil, password: String = "hunter2") async throws -> MailFailure? {
      let server = try SMTPServer(url: stub.url, isPlaintext: isPlaintext, user: "map", password: password)
      let connection = SMTPConnection(to: server, sender: sender)
      return await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          do throws(MailFailure) {
            try connection.check()
            continuation.resume(returning: nil)
          } catch { continuation.resume(returning: error) }
        }
      }
    }
    #expect(try await failure() == nil)
    #expect(try await failure(isPlaintext: false)?.stage == .encryption)
    stub.refuse("AUTH", with: "535 wrong", times: 1)
    let refused = try await failure()
    #expect(refused?.stage == .login && refused?.reply == 535, "\(refused as Any)")
    #expect(stub.messages.isEmpty)
    stub.end()
    #expect(try await failure()?.stage == .connection)
  }

  @Test("A check of a login fails if the server offers none")
  func noLogin() async throws {
    let stub = try MailStub()
    let server = try SMTPServer(url: stub.url, isPlaintext: nil, user: "map", password: "hunter2")
    let connection = SMTPConnection(to: server, sender: try #require(MailAddress("map@example.org")))
    let failure = #expect(throws: MailFailure.self) { try connection.check() }
    #expect(failure?.stage == .login && failure?.reply == 250, "\(failure as Any)")
  }
}
