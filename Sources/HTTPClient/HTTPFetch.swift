package import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  package import FoundationNetworking
#endif

/// Asks servers over HTTP, within bounds of time, length and redirects. Any thread.
package final class HTTPFetch: NSObject, Sendable {
  /// How far one request may go.
  package struct Bounds: Sendable {
    /// From the first byte sent to the last one received, connecting included.
    let totalMs: Int64
    /// Of an answer, unpacked.
    let bodyBytesMax: Int
    /// That are followed, within the same server.
    let redirectsMax: Int
    /// To one server at once.
    let connectionsMax: Int

    package init(totalMs: Int64, bodyBytesMax: Int, redirectsMax: Int, connectionsMax: Int) {
      self.totalMs = totalMs
      self.bodyBytesMax = bodyBytesMax
      self.redirectsMax = redirectsMax
      self.connectionsMax = connectionsMax
    }
  }

  /// What came back.
  package struct Response: Sendable {
    /// Whatever it says: a redirect that was not followed is none, though.
    package let status: Int
    /// `Bounds.bodyBytesMax` at most; empty where the server asks for a name and a password.
    package let body: Data
    /// The header's value; nil where there was none.
    package let retryAfter: String?
  }

  private typealias Outcome = Result<Response, FetchFailure>

  private struct Pending {
    let url: URL
    /// Nil when the outcome has been told.
    var continuation: CheckedContinuation<Outcome, Never>?
    var body = Data()
    var redirects = 0
    var isCancelled = false
  }

  /// By the task's number, until the task has ended.
  private let pending = Mutex<[Int: Pending]>([:])
  private let session: Mutex<URLSession?> = Mutex(nil)
  private let bounds: Bounds
  private let clock = DispatchQueue(label: "fetch.deadline")
  /// All that is told of tasks, and all that ends them, one after the other: Foundation ends the process when a
  /// redirect is answered after its task was cancelled.
  private let queue = OperationQueue()

  /// - Parameter headers: of every request.
  package init(headers: [String: String], bounds: Bounds) {
    self.bounds = bounds
    queue.maxConcurrentOperationCount = 1
    super.init()
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpAdditionalHeaders = headers
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.httpMaximumConnectionsPerHost = bounds.connectionsMax
    let session = URLSession(configuration: configuration, delegate: self, delegateQueue: queue)
    self.session.withLock { $0 = session }
  }

  /// Ends what is under way; nothing may be got afterwards. Without it the session is never let go.
  package func end() {
    let session = session.withLock { session in
      defer { session = nil }
      return session
    }
    queue.addOperation { [self] in
      for id in pending.withLock({ Array($0.keys) }) {
        finish(id, .failure(.timedOut))
        pending.withLock { $0[id]?.isCancelled = true }
      }
      session?.invalidateAndCancel()
    }
  }

  /// Asks for what is at an address: `send` without a body.
  package func get(_ url: URL, headers: [String: String] = [:]) async throws(FetchFailure) -> Response {
    try await send("GET", url, headers: headers)
  }

  /// Sends a form (`application/x-www-form-urlencoded`) to an address, as `send` does.
  package func post(
    _ url: URL, form: [(name: String, value: String)], headers: [String: String] = [:]
  ) async throws(FetchFailure) -> Response {
    let headers = headers.merging(["Content-Type": "application/x-www-form-urlencoded"]) { $1 }
    return try await send("POST", url, headers: headers, body: Data(FormText.text(form).utf8))
  }

  /// Sends one request and waits for its answer.
  ///
  /// - Parameter headers: besides those of every request.
  /// - Throws: for a connection that fails, or an answer beyond the bounds; a status is an answer, whatever it says.
  package func send(
    _ method: String, _ url: URL, headers: [String: String] = [:], body: Data? = nil
  ) async throws(FetchFailure) -> Response {
    var request = URLRequest(url: url, timeoutInterval: Double(bounds.totalMs) / 1_000)
    request.httpMethod = method
    request.httpBody = body
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    return try await send(request)
  }

  private func send(_ request: URLRequest) async throws(FetchFailure) -> Response {
    guard let url = request.url else { throw .malformed }
    let outcome = await withCheckedContinuation { continuation in
      let task = session.withLock { $0?.dataTask(with: request) }
      guard let task else { return continuation.resume(returning: Outcome.failure(.timedOut)) }
      pending.withLock { $0[task.taskIdentifier] = Pending(url: url, continuation: continuation) }
      task.resume()
      // The session's own timeout begins anew with every byte.
      clock.asyncAfter(deadline: .now() + .milliseconds(Int(bounds.totalMs))) { [weak self, weak task] in
        guard let self, let task else { return }
        queue.addOperation { self.cancel(task, .timedOut) }
      }
    }
    return try outcome.get()
  }

  /// The first outcome counts.
  private func finish(_ id: Int, _ outcome: Outcome) {
    let continuation = pending.withLock { pending in
      defer { pending[id]?.continuation = nil }
      return pending[id]?.continuation
    }
    continuation?.resume(returning: outcome)
  }

  /// On the queue.
  private func cancel(_ task: URLSessionTask, _ failure: FetchFailure) {
    finish(task.taskIdentifier, .failure(failure))
    let isFirst = pending.withLock { pending in
      defer { pending[task.taskIdentifier]?.isCancelled = true }
      return pending[task.taskIdentifier].map { !$0.isCancelled } ?? false
    }
    if isFirst { task.cancel() }
  }
}

extension HTTPFetch: URLSessionDataDelegate {
  /// As the library tells it, on the queue; so all that follow.
  package func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
  ) {
    let follows: Bool? = pending.withLock { pending in
      guard var entry = pending[task.taskIdentifier], !entry.isCancelled else { return nil }
      entry.redirects += 1
      pending[task.taskIdentifier] = entry
      guard entry.redirects <= bounds.redirectsMax, let url = request.url else { return false }
      // The same server in all its parts, so that neither the text nor the key goes to anybody else.
      return url.scheme == entry.url.scheme && url.host?.lowercased() == entry.url.host?.lowercased()
        && url.port == entry.url.port
    }
    switch follows {
    case true?: completionHandler(request)
    case false?: cancel(task, .redirected)
    case nil: break
    }
  }

  /// As the library tells it. The status is the answer: without a credential to try, Foundation on Linux would send the
  /// same request again and again.
  package func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    guard let response = challenge.failureResponse as? HTTPURLResponse else {
      return completionHandler(.performDefaultHandling, nil)
    }
    finish(
      task.taskIdentifier,
      .success(
        Response(
          status: response.statusCode, body: Data(), retryAfter: response.value(forHTTPHeaderField: "Retry-After"))))
    completionHandler(.cancelAuthenticationChallenge, nil)
  }

  /// As the library tells it.
  package func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    // Allowed either way: on Linux nothing waits for this.
    completionHandler(.allow)
    if response.expectedContentLength > bounds.bodyBytesMax { cancel(dataTask, .tooLong) }
  }

  /// As the library tells it.
  package func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    // A server need not say how much will come, and what it packs may grow.
    let isTooLong = pending.withLock { pending -> Bool in
      let id = dataTask.taskIdentifier
      guard (pending[id]?.body.count ?? 0) + data.count <= bounds.bodyBytesMax else { return true }
      pending[id]?.body.append(data)
      return false
    }
    if isTooLong { cancel(dataTask, .tooLong) }
  }

  /// As the library tells it.
  package func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    defer { pending.withLock { $0[task.taskIdentifier] = nil } }
    if let error {
      // Only its number: the error itself shows the address, with the text and the key.
      let code = (error as? URLError)?.errorCode ?? (error as NSError).code
      let failure: FetchFailure =
        code == URLError.timedOut.rawValue ? .timedOut : .unreachable(code: code)
      return finish(task.taskIdentifier, .failure(failure))
    }
    guard let response = task.response as? HTTPURLResponse else {
      return finish(task.taskIdentifier, .failure(.malformed))
    }
    let body = pending.withLock { $0[task.taskIdentifier]?.body } ?? Data()
    finish(
      task.taskIdentifier,
      .success(
        Response(
          status: response.statusCode, body: body, retryAfter: response.value(forHTTPHeaderField: "Retry-After"))))
  }
}
