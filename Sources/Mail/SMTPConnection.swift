import CCurl
import Domain

/// Connection to the mail server for one task, with libcurl. Blocks its thread.
package struct SMTPConnection: Sendable {
  private let server: SMTPServer
  /// Name with which the client introduces itself to the server.
  private let clientName: Substring

  /// - Parameter sender: Sender of the mails. The client introduces itself with the host of this address.
  package init(to server: SMTPServer, sender: MailAddress) {
    self.server = server
    clientName = sender.host
  }

  /// Connects, starts TLS and logs in, as the configuration demands. Sends no mail.
  ///
  /// - Throws: `MailFailure` within `Limits.mailSendMs`.
  package func check() throws(MailFailure) {
    try run(Transfer("", needsLogin: server.hasCredentials)) { _ = otm_curl_set_number($0, CURLOPT_CONNECT_ONLY, 1) }
  }

  /// Delivers a mail to the server, which is then responsible for it.
  ///
  /// - Throws: `MailFailure` within `Limits.mailSendMs`. After a lost reply the server may have accepted the mail.
  func deliver(_ message: MailMessage) throws(MailFailure) {
    let transfer = Transfer(message.text, needsLogin: server.hasCredentials)
    guard let recipients = curl_slist_append(nil, "<\(message.recipient.address.text)>") else {
      throw MailFailure(stage: .connection, reply: 0, description: "no memory")
    }
    defer { curl_slist_free_all(recipients) }
    try run(transfer) { handle in
      SMTPConnection.set(handle, CURLOPT_MAIL_FROM, "<\(message.sender.address.text)>")
      otm_curl_set_pointer(handle, CURLOPT_MAIL_RCPT, recipients)
      otm_curl_set_number(handle, CURLOPT_UPLOAD, 1)
      otm_curl_set_pointer(handle, CURLOPT_READDATA, Unmanaged.passUnretained(transfer).toOpaque())
      otm_curl_set_callback(handle, CURLOPT_READFUNCTION) { bytes, size, count, context in
        Transfer.of(context)?.read(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count)) ?? 0
      }
    }
  }

  /// Runs a transfer.
  ///
  /// - Parameter prepare: Sets the options of the transfer's kind.
  private func run(_ transfer: Transfer, _ prepare: (UnsafeMutableRawPointer) -> Void) throws(MailFailure) {
    let text = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    text.pointee = 0
    // libcurl keeps pointers to both until the end of the handle.
    defer {
      text.deallocate()
      withExtendedLifetime(transfer) {}
    }
    guard SMTPConnection.isInitialized, let handle = curl_easy_init() else {
      throw MailFailure(stage: .connection, reply: 0, description: "no memory")
    }
    defer { curl_easy_cleanup(handle) }
    setServer(handle)
    otm_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, text)
    otm_curl_set_pointer(handle, CURLOPT_HEADERDATA, Unmanaged.passUnretained(transfer).toOpaque())
    otm_curl_set_callback(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
      Transfer.of(context)?.note(reply: UnsafeRawBufferPointer(start: bytes, count: size * count))
      return size * count
    }
    prepare(handle)
    let code = curl_easy_perform(handle)
    var reply = 0
    otm_curl_status(handle, &reply)
    if code == CURLE_OK || code == CURLE_ABORTED_BY_CALLBACK, transfer.lacksLogin {
      throw MailFailure(stage: .login, reply: reply, description: "the server offers no login")
    }
    guard code != CURLE_OK else { return }
    let reason = text.pointee == 0 ? String(cString: curl_easy_strerror(code)) : String(cString: text)
    throw MailFailure(stage: SMTPConnection.stage(code), reply: reply, description: reason)
  }

  private func setServer(_ handle: UnsafeMutableRawPointer) {
    let numbers: [(CURLoption, Int)] = [
      (CURLOPT_NOSIGNAL, 1), (CURLOPT_TIMEOUT_MS, Limits.mailSendMs), (CURLOPT_CONNECTTIMEOUT_MS, Limits.mailConnectMs),
      (CURLOPT_USE_SSL, Int(server.encryption == .plaintext ? CURLUSESSL_NONE.rawValue : CURLUSESSL_ALL.rawValue)),
      // The defaults of libcurl, which a change of its defaults must not weaken.
      (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2),
    ]
    for (option, value) in numbers { otm_curl_set_number(handle, option, value) }
    var texts = [
      (CURLOPT_URL, server.url(clientName: clientName)), (CURLOPT_PROTOCOLS_STR, "smtp,smtps"),
      // A proxy of the environment is for HTTP.
      (CURLOPT_NOPROXY, "*"),
    ]
    if let credentials = server.credentials {
      texts += [(CURLOPT_USERNAME, credentials.user), (CURLOPT_PASSWORD, credentials.password.text)]
    }
    for (option, value) in texts { SMTPConnection.set(handle, option, value) }
  }

  /// Sets an option to a text, of which libcurl makes a copy.
  private static func set(_ handle: UnsafeMutableRawPointer, _ option: CURLoption, _ text: String) {
    text.withCString { _ = otm_curl_set_pointer(handle, option, $0) }
  }

  private static func stage(_ code: CURLcode) -> MailFailure.Stage {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: .lookup
    case CURLE_USE_SSL_FAILED, CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE,
      CURLE_SSL_ISSUER_ERROR:
      .encryption
    case CURLE_LOGIN_DENIED: .login
    case CURLE_COULDNT_CONNECT, CURLE_OPERATION_TIMEDOUT, CURLE_RECV_ERROR, CURLE_GOT_NOTHING: .connection
    default: .delivery
    }
  }

  private static let isInitialized = curl_global_init(Int(CURL_GLOBAL_SSL | CURL_GLOBAL_WIN32)) == CURLE_OK
}

/// The mail's bytes that libcurl has not read yet, and the state of the login. The thread of the transfer only.
private final class Transfer {
  private var rest: ArraySlice<UInt8>
  /// True until the server accepts the login. libcurl would send the mail without a login to a server that offers none.
  private(set) var lacksLogin: Bool

  init(_ text: String, needsLogin: Bool) {
    rest = Array(text.utf8)[...]
    lacksLogin = needsLogin
  }

  /// Returns the transfer of a callback.
  static func of(_ context: UnsafeMutableRawPointer?) -> Transfer? {
    context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Notes a line of the server. It has the code 235 after a successful login (RFC 4954, section 6).
  func note(reply line: UnsafeRawBufferPointer) {
    if line.starts(with: "235".utf8) { lacksLogin = false }
  }

  /// Moves bytes into the buffer. Returns their number, which is 0 at the end of the mail, or the code that aborts.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard !lacksLogin else { return Int(CURL_READFUNC_ABORT) }
    let part = rest.prefix(buffer.count)
    buffer.copyBytes(from: part)
    rest = rest.dropFirst(part.count)
    return part.count
  }
}
