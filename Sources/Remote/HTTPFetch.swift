import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Gets an address over HTTP, within bounds of time, length and redirects. Any thread.
final class HTTPFetch: NSObject, URLSessionDataDelegate, Sendable {
  /// What came back.
  struct Answer: Sendable {
    let status: Int
    let body: Data
    let retryAfter: String?
  }

  private typealias Outcome = Result<Answer, ProviderFailure>

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
  private let clock = DispatchQueue(label: "remote.deadline")
  /// All that is told of tasks, and all that ends them, one after the other: Foundation ends the process when a
  /// redirect is answered after its task was cancelled.
  private let queue = OperationQueue()

  /// - Parameter headers: of every request.
  init(headers: [String: String]) {
    queue.maxConcurrentOperationCount = 1
    super.init()
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpAdditionalHeaders = headers
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.httpMaximumConnectionsPerHost = RemoteLimits.inFlightMax
    let session = URLSession(configuration: configuration, delegate: self, delegateQueue: queue)
    self.session.withLock { $0 = session }
  }

  /// Ends what is under way; nothing may be got afterwards. Without it the session is never let go.
  func end() {
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

  /// - Throws: `ProviderFailure`, for a connection that fails; a status is an answer, whatever it says.
  func get(_ url: URL) async throws(ProviderFailure) -> Answer {
    let outcome = await withCheckedContinuation { continuation in
      let task: URLSessionDataTask? = session.withLock { session in
        guard let session else { return nil }
        let request = URLRequest(url: url, timeoutInterval: Double(RemoteLimits.totalMs) / 1_000)
        return session.dataTask(with: request)
      }
      guard let task else { return continuation.resume(returning: Outcome.failure(.timedOut)) }
      pending.withLock { $0[task.taskIdentifier] = Pending(url: url, continuation: continuation) }
      task.resume()
      // The session's own timeout begins anew with every byte.
      clock.asyncAfter(deadline: .now() + .milliseconds(Int(RemoteLimits.totalMs))) { [weak self, weak task] in
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
  private func cancel(_ task: URLSessionTask, _ failure: ProviderFailure) {
    finish(task.taskIdentifier, .failure(failure))
    let isFirst = pending.withLock { pending in
      defer { pending[task.taskIdentifier]?.isCancelled = true }
      return pending[task.taskIdentifier].map { !$0.isCancelled } ?? false
    }
    if isFirst { task.cancel() }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
  ) {
    let follows: Bool? = pending.withLock { pending in
      guard var entry = pending[task.taskIdentifier], !entry.isCancelled else { return nil }
      entry.redirects += 1
      pending[task.taskIdentifier] = entry
      guard entry.redirects <= RemoteLimits.redirectsMax, let url = request.url else { return false }
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

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    // Allowed either way: on Linux nothing waits for this.
    completionHandler(.allow)
    if response.expectedContentLength > RemoteLimits.bodyBytesMax { cancel(dataTask, .tooLong) }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    // A server need not say how much will come, and what it packs may grow.
    let isTooLong = pending.withLock { pending -> Bool in
      let id = dataTask.taskIdentifier
      guard (pending[id]?.body.count ?? 0) + data.count <= RemoteLimits.bodyBytesMax else { return true }
      pending[id]?.body.append(data)
      return false
    }
    if isTooLong { cancel(dataTask, .tooLong) }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    defer { pending.withLock { $0[task.taskIdentifier] = nil } }
    if let error {
      // Only its number: the error itself shows the address, with the text and the key.
      let code = (error as? URLError)?.errorCode ?? (error as NSError).code
      let failure: ProviderFailure =
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
        Answer(
          status: response.statusCode, body: body, retryAfter: response.value(forHTTPHeaderField: "Retry-After"))))
  }
}
