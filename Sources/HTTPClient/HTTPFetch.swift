package import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  package import FoundationNetworking
#endif

/// HTTP client with limits on time, response size and redirects. Any thread.
package final class HTTPFetch: NSObject, Sendable {
  /// Limits of each request, and of the connections to each server.
  package struct Bounds: Sendable {
    /// Timeout from the start of the connection to the last byte received, in milliseconds.
    let totalMs: Int64
    /// Maximum size of a response body after decompression, in bytes.
    let bodyBytesMax: Int
    /// Maximum number of redirects, which must stay on the same server.
    let redirectsMax: Int
    /// Maximum number of parallel connections to one server.
    let connectionsMax: Int

    package init(totalMs: Int64, bodyBytesMax: Int, redirectsMax: Int, connectionsMax: Int) {
      self.totalMs = totalMs
      self.bodyBytesMax = bodyBytesMax
      self.redirectsMax = redirectsMax
      self.connectionsMax = connectionsMax
    }
  }

  /// A response of the server.
  package struct Response: Sendable {
    /// Status code. A refused redirect gives `FetchFailure.redirected` instead of a response.
    package let status: Int
    /// Body of at most `Bounds.bodyBytesMax` bytes. Empty if the server requires a credential.
    package let body: Data
    /// Value of the `Retry-After` header, or nil.
    package let retryAfter: String?
  }

  private typealias Outcome = Result<Response, FetchFailure>

  private struct Pending {
    let url: URL
    /// Caller that waits for the outcome. Nil after it has resumed.
    var continuation: CheckedContinuation<Outcome, Never>?
    var body = Data()
    var redirects = 0
    var isCancelled = false
  }

  /// Requests by task identifier. A request is removed when its task ends.
  private let pending = Mutex<[Int: Pending]>([:])
  private let session: Mutex<URLSession?> = Mutex(nil)
  private let bounds: Bounds
  private let deadlineQueue = DispatchQueue(label: "fetch.deadline")
  /// Serial queue for all delegate calls and cancellations. Foundation ends the process if the delegate decides on a
  /// redirect of a cancelled task.
  private let queue = OperationQueue()

  /// Creates a client.
  ///
  /// - Parameter headers: Headers of every request.
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

  /// Ends the client. Requests in progress fail with `timedOut`. Send no request afterwards. Without this call,
  /// Foundation never frees the session.
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

  /// Sends a GET request, as `send` does.
  package func get(_ url: URL, headers: [String: String] = [:]) async throws(FetchFailure) -> Response {
    try await send("GET", url, headers: headers)
  }

  /// Sends a form (`application/x-www-form-urlencoded`) in a POST request, as `send` does.
  package func post(
    _ url: URL, form: [(name: String, value: String)], headers: [String: String] = [:]
  ) async throws(FetchFailure) -> Response {
    let headers = headers.merging(["Content-Type": "application/x-www-form-urlencoded"]) { $1 }
    return try await send("POST", url, headers: headers, body: Data(FormText.text(form).utf8))
  }

  /// Sends a request and waits up to `Bounds.totalMs` milliseconds for its response.
  ///
  /// - Parameter headers: Headers in addition to the headers of every request.
  /// - Throws: `FetchFailure`. A response with an error status (4xx, 5xx) throws nothing.
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
      // The session's own timeout restarts with every byte.
      deadlineQueue.asyncAfter(deadline: .now() + .milliseconds(Int(bounds.totalMs))) { [weak self, weak task] in
        guard let self, let task else { return }
        queue.addOperation { self.cancel(task, .timedOut) }
      }
    }
    return try outcome.get()
  }

  /// Resumes the caller with an outcome. Later outcomes of the same task have no effect.
  private func finish(_ id: Int, _ outcome: Outcome) {
    let continuation = pending.withLock { pending in
      defer { pending[id]?.continuation = nil }
      return pending[id]?.continuation
    }
    continuation?.resume(returning: outcome)
  }

  /// Cancels a task. Call this on `queue`.
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
  /// Follows or refuses a redirect. Foundation calls this and all other delegate methods on the queue.
  package func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
  ) {
    let follows: Bool? = pending.withLock { pending in
      guard var entry = pending[task.taskIdentifier], !entry.isCancelled else { return nil }
      entry.redirects += 1
      pending[task.taskIdentifier] = entry
      guard entry.redirects <= bounds.redirectsMax, let url = request.url else { return false }
      // Scheme, host and port must be the same, so that no other server gets the request's text or credentials.
      return url.scheme == entry.url.scheme && url.host?.lowercased() == entry.url.host?.lowercased()
        && url.port == entry.url.port
    }
    switch follows {
    case true?: completionHandler(request)
    case false?: cancel(task, .redirected)
    case nil: break
    }
  }

  /// Ends a request whose server requires a credential. The caller gets the status without a body. Otherwise Foundation
  /// on Linux would resend the request endlessly.
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

  /// Ends a request whose response announces a size above the limit.
  package func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    // Allow the response in both cases, because on Linux nothing waits for this decision.
    completionHandler(.allow)
    if response.expectedContentLength > bounds.bodyBytesMax { cancel(dataTask, .tooLong) }
  }

  /// Appends data to the response body.
  package func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    // A server need not announce the size, and decompressed data may exceed it.
    let isTooLong = pending.withLock { pending -> Bool in
      let id = dataTask.taskIdentifier
      guard (pending[id]?.body.count ?? 0) + data.count <= bounds.bodyBytesMax else { return true }
      pending[id]?.body.append(data)
      return false
    }
    if isTooLong { cancel(dataTask, .tooLong) }
  }

  /// Resumes the caller with the response or the error.
  package func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    defer { pending.withLock { $0[task.taskIdentifier] = nil } }
    if let error {
      // Keep only the error's code. The error itself contains the URL, with its text and credentials.
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
