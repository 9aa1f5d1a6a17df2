import CCurl
import Domain
import Foundation

/// A request of `doctor` over HTTP, or a connection without a request. Never sends a credential.
struct HTTPProbe: Sendable {
  /// The response of a server. Without a request, only the certificate is set.
  struct Reply: Sendable, Equatable {
    /// HTTP status code. 0 without a request.
    var status = 0
    var body = ""
    /// Value of the header Date, in milliseconds since 1970, UTC. Nil without the header.
    var dateMs: Int64?
    /// Expiry of the server's certificate, in milliseconds since 1970, UTC. Nil without TLS.
    var certificateEndMs: Int64?
  }

  /// The stage at which a connection failed.
  enum Failure: Error, Sendable, Equatable {
    case unknownHost
    /// No connection, or no response in time.
    case unreachable(String)
    /// The certificate is not valid, or no TLS.
    case tls(String)
  }

  let url: String
  /// True to end after the connection and its TLS handshake.
  var isConnectOnly = false
  /// True to ignore the proxies of the environment. Use it for addresses of this host.
  var isDirect = false

  /// Sends the request, or connects. Blocks for at most `DoctorLimits.requestMs`.
  func run() -> Result<Reply, Failure> {
    guard HTTPProbe.isInitialized, let handle = curl_easy_init() else { return .failure(.unreachable("no memory")) }
    defer { curl_easy_cleanup(handle) }
    let received = Received()
    set(handle, received)
    let text = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    defer { text.deallocate() }
    text.pointee = 0
    otm_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, text)
    let code = curl_easy_perform(handle)
    guard code == CURLE_OK || code == CURLE_WRITE_ERROR && received.isFull else {
      let reason = text.pointee == 0 ? String(cString: curl_easy_strerror(code)) : String(cString: text)
      return .failure(HTTPProbe.failure(code, reason))
    }
    var reply = Reply()
    var status = 0
    otm_curl_status(handle, &status)
    reply.status = status
    reply.body = String(decoding: received.body, as: UTF8.self)
    reply.dateMs = received.dateMs
    reply.certificateEndMs = HTTPProbe.certificateEndMs(handle)
    return .success(reply)
  }

  private func set(_ handle: UnsafeMutableRawPointer, _ received: Received) {
    let numbers: [(CURLoption, Int)] = [
      (CURLOPT_NOSIGNAL, 1), (CURLOPT_TIMEOUT_MS, DoctorLimits.requestMs),
      (CURLOPT_CONNECTTIMEOUT_MS, DoctorLimits.requestMs), (CURLOPT_CERTINFO, 1),
      (CURLOPT_CONNECT_ONLY, isConnectOnly ? 1 : 0),
    ]
    for (option, value) in numbers { otm_curl_set_number(handle, option, value) }
    url.withCString { _ = otm_curl_set_pointer(handle, CURLOPT_URL, $0) }
    "http,https".withCString { _ = otm_curl_set_pointer(handle, CURLOPT_PROTOCOLS_STR, $0) }
    if isDirect { "*".withCString { _ = otm_curl_set_pointer(handle, CURLOPT_NOPROXY, $0) } }
    let pointer = Unmanaged.passUnretained(received).toOpaque()
    otm_curl_set_pointer(handle, CURLOPT_WRITEDATA, pointer)
    otm_curl_set_pointer(handle, CURLOPT_HEADERDATA, pointer)
    otm_curl_set_callback(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
      Received.of(context)?.append(UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
    }
    otm_curl_set_callback(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
      Received.of(context)?.header(UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
    }
  }

  private static func failure(_ code: CURLcode, _ reason: String) -> Failure {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: .unknownHost
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR:
      .tls(reason)
    case CURLE_OPERATION_TIMEDOUT: .unreachable("no response within \(DoctorLimits.requestMs / 1_000) s")
    default: .unreachable(reason.lowercased())
    }
  }

  /// Returns the expiry of the first certificate, in milliseconds since 1970. Nil without TLS.
  private static func certificateEndMs(_ handle: UnsafeMutableRawPointer) -> Int64? {
    var found: UnsafeMutablePointer<curl_certinfo>?
    guard otm_curl_certificates(handle, &found) == CURLE_OK, let found, found.pointee.num_of_certs > 0 else {
      return nil
    }
    var next = found.pointee.certinfo[0]
    while let line = next {
      let text = String(cString: line.pointee.data)
      if text.hasPrefix("Expire date:") { return unixMs(String(text.dropFirst(12))) }
      next = line.pointee.next
    }
    return nil
  }

  /// Returns the time of an HTTP or certificate date, in milliseconds since 1970. Nil for another text.
  static func unixMs(_ date: String) -> Int64? {
    let seconds = curl_getdate(date, nil)
    return seconds < 0 ? nil : Int64(seconds) * 1_000
  }

  private static let isInitialized = curl_global_init(Int(CURL_GLOBAL_SSL | CURL_GLOBAL_WIN32)) == CURLE_OK
}

/// The part of a response that has arrived. The thread of the request only.
final class Received {
  var body: [UInt8] = []
  var dateMs: Int64?
  /// True after more bytes than a check reads.
  var isFull = false

  static func of(_ context: UnsafeMutableRawPointer?) -> Received? {
    context.map { Unmanaged<Received>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Appends bytes of the body. Returns their number, or 0 to end the request.
  func append(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard body.count + bytes.count <= DoctorLimits.bodyBytesMax else {
      isFull = true
      return 0
    }
    body += bytes
    return bytes.count
  }

  /// Reads a line of the head. Returns its length.
  func header(_ bytes: UnsafeRawBufferPointer) -> Int {
    let line = String(decoding: bytes, as: UTF8.self)
    if line.lowercased().hasPrefix("date:") { dateMs = HTTPProbe.unixMs(String(line.dropFirst(5))) }
    return bytes.count
  }
}

extension HTTPProbe.Failure: CustomStringConvertible {
  var description: String {
    switch self {
    case .unknownHost: "unknown host"
    case .unreachable(let reason): reason
    case .tls(let reason): "TLS failed: \(reason)"
    }
  }
}
