import Foundation

/// People who sign up or log in concurrently, each over a separate connection.
struct LoginCrowd {
  /// Response to one person.
  struct Response {
    let status: Int
    /// Time from the request to its response.
    let seconds: Double
  }

  static let count = 300
  private static let password = "correct-horse"

  let port: Int

  /// - Parameter http: Base address of ingest.
  init(http: String) throws {
    guard let port = URL(string: http)?.port else { throw BenchError("\(http) is no address") }
    self.port = port
  }

  /// Signs people up concurrently.
  func signUp(_ people: Range<Int>, from address: String) async throws -> [Response] {
    try await send(
      people.map {
        request("accounts", #"{"email":"\#($0)@class.example.org",\#(credentials),"firstName":"A"}"#, address)
      }
    )
  }

  /// Logs people in concurrently.
  func logIn(_ people: Range<Int>, from address: String) async throws -> [Response] {
    try await send(
      people.map { request("session", #"{"email":"\#($0)@class.example.org",\#(credentials)}"#, address) })
  }

  /// Measures sign-ups, and a class that logs in behind one address, on an otherwise idle machine.
  func measure(into table: inout Table) async throws {
    let made = try await signUp(0..<100, from: "198.51.100.1")
    table.add("logins: 100 concurrent sign-ups, accepted", Double(made.count { $0.status == 201 }), within: 100...100)
    table.add("logins: 100 concurrent sign-ups, slowest s", made.map(\.seconds).max() ?? 0)
    _ = try await signUp(100..<LoginCrowd.count, from: "198.51.100.1")
    let loggedIn = try await logIn(0..<LoginCrowd.count, from: "198.51.100.2")
    let (name, all) = ("logins: a class of \(LoginCrowd.count)", Double(LoginCrowd.count))
    table.add("\(name), accepted", Double(loggedIn.count { $0.status == 200 }), within: all...all)
    table.add("\(name), slowest s", loggedIn.map(\.seconds).max() ?? 0, within: 0...20)
  }

  /// Logs people in one after the other, each from a new address, until the task is cancelled.
  func logInOneByOne() async throws -> [Response] {
    var responses: [Response] = []
    while !Task.isCancelled {
      let person = responses.count % LoginCrowd.count
      responses += try await logIn(person..<person + 1, from: "203.0.113.\(responses.count % 250)")
      try? await Task.sleep(for: .milliseconds(200))
    }
    return responses
  }

  private var credentials: String { #""password":"\#(LoginCrowd.password)""# }

  private func request(_ path: String, _ body: String, _ address: String) -> String {
    """
    POST /v2/\(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Forwarded-For: \(address)\r\n\
    Content-Length: \(body.utf8.count)\r\n\r\n\(body)
    """
  }

  private func send(_ requests: [String]) async throws -> [Response] {
    let clock = ContinuousClock()
    let start = clock.now
    var waiting = try requests.map { request in
      let socket = try LoopbackSocket(port: port)
      try socket.write(Array(request.utf8))
      socket.makeNonBlocking()
      return socket
    }
    var responses: [Response] = []
    while !waiting.isEmpty {
      guard clock.now - start < .seconds(60) else { throw BenchError("no response to \(waiting.count) logins in 60 s") }
      waiting = try waiting.filter { socket in
        guard let status = try RequestFlood.status(of: socket) else { return true }
        responses.append(Response(status: status, seconds: (clock.now - start) / .seconds(1)))
        return false
      }
      // Wait even if the task is cancelled, so that every request gets its response.
      try? await Task.sleep(for: .milliseconds(2))
    }
    return responses
  }
}
