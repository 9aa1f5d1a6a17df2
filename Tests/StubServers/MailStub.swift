import Foundation
import Glibc
import Synchronization

/// A local mail server that records the mails that it accepts, and refuses commands as a test demands. It speaks SMTP
/// without TLS, for any number of connections in parallel.
package final class MailStub: Sendable {
  /// An accepted mail.
  package struct Message: Sendable {
    /// The sender's address in the envelope.
    package let sender: String
    /// The recipient's address in the envelope.
    package let recipient: String
    /// The name with which the client introduced itself.
    package let client: String
    /// The user and the password of the client, separated by a space. Nil without a login.
    package let login: String?
    /// The mail as transmitted, without the dots that SMTP adds.
    package let text: String

    /// The lines of the head. A line that continues the previous one is part of it.
    package var headers: [String] {
      (text.components(separatedBy: "\r\n\r\n").first ?? "").replacingOccurrences(of: "\r\n ", with: " ")
        .components(separatedBy: "\r\n")
    }

    /// Returns the value of a header, with its encoded words decoded. Nil if there is none.
    package func header(_ name: String) -> String? {
      headers.first { $0.hasPrefix("\(name): ") }.map { MailStub.decodedWords(String($0.dropFirst(name.count + 2))) }
    }

    /// The decoded body.
    package var body: String {
      let parts = text.components(separatedBy: "\r\n\r\n").dropFirst()
      return MailStub.decodedQuotedPrintable(parts.joined(separator: "\r\n\r\n"))
    }

    /// The first link in the body.
    package var link: String? {
      body.components(separatedBy: "\r\n").first { $0.hasPrefix("http") }
    }

    /// The token in the link.
    package var token: String? { link.flatMap { $0.contains("#") ? $0.components(separatedBy: "#").last : nil } }
  }

  /// A reply that replaces the usual one.
  private struct Refusal {
    let reply: String
    var times: Int
  }

  private struct State {
    var messages: [Message] = []
    var connections = 0
    /// Refusals by verb. The verb of a mail's end is a dot, and that of the greeting is empty.
    var refusals: [String: Refusal] = [:]
  }

  private let listener: LoopbackListener
  private let extensions: [String]
  private let state = Mutex(State())

  /// - Parameters:
  ///   - port: The port. 0 selects a free one.
  ///   - extensions: Extensions that the server offers, such as "AUTH PLAIN" or "STARTTLS".
  package init(port: UInt16 = 0, extensions: [String] = []) throws {
    self.extensions = extensions
    listener = try LoopbackListener(port: port)
    listener.serve { [weak self] client in self?.serve(client) }
  }

  deinit { end() }

  /// Stops the server, which then refuses connections.
  package func end() { listener.end() }

  package var port: UInt16 { listener.port }

  /// The server's URL.
  package var url: String { "smtp://127.0.0.1:\(port)" }

  /// The accepted mails, in order of arrival.
  package var messages: [Message] { state.withLock { $0.messages } }

  /// The number of connections so far.
  package var connectionCount: Int { state.withLock { $0.connections } }

  /// Replaces the reply to a command.
  ///
  /// - Parameters:
  ///   - verb: The command, such as "RCPT". A dot stands for the end of a mail, and an empty text for the greeting.
  ///   - reply: The reply, such as "550 no such mailbox". An empty reply closes the connection.
  ///   - times: The number of replies to replace.
  package func refuse(_ verb: String, with reply: String, times: Int = .max) {
    state.withLock { $0.refusals[verb] = Refusal(reply: reply, times: times) }
  }

  private func refusal(of verb: String) -> String? {
    state.withLock { state in
      guard let refusal = state.refusals[verb], refusal.times > 0 else { return nil }
      state.refusals[verb]?.times -= 1
      return refusal.reply
    }
  }

  private func serve(_ client: Int32) {
    state.withLock { $0.connections += 1 }
    var lines = SMTPLines(client)
    var (sender, recipient, name) = ("", "", "")
    var login: String?
    guard say(refusal(of: "") ?? "220 stub ready", client) else { return }
    while let line = lines.next() {
      let verb = line.prefix { $0 != " " && $0 != ":" }.uppercased()
      let argument = String(line.dropFirst(verb.count).drop { $0 == " " })
      var reply = refusal(of: verb)
      if reply == nil {
        switch verb {
        case "EHLO":
          name = argument
          reply = (["stub"] + extensions).enumerated().map { index, text in
            "250\(index == extensions.count ? " " : "-")\(text)"
          }.joined(separator: "\r\n")
        case "AUTH":
          login = MailStub.login(argument, &lines, client)
          reply = "235 welcome"
        case "MAIL":
          sender = MailStub.address(argument)
          reply = "250 ok"
        case "RCPT":
          recipient = MailStub.address(argument)
          reply = "250 ok"
        case "DATA":
          guard say("354 go on", client), let text = lines.mail() else { return }
          reply = refusal(of: ".")
          if reply == nil {
            let message = Message(sender: sender, recipient: recipient, client: name, login: login, text: text)
            state.withLock { $0.messages.append(message) }
            reply = "250 accepted"
          }
        case "QUIT":
          say("221 bye", client)
          return
        default: reply = "250 ok"
        }
      }
      guard say(reply ?? "", client) else { return }
    }
  }

  /// Sends a reply. Returns false to close the connection.
  @discardableResult
  private func say(_ reply: String, _ client: Int32) -> Bool {
    !reply.isEmpty && LoopbackListener.send(Array("\(reply)\r\n".utf8), client)
  }

  /// Returns the user and the password of AUTH PLAIN, which may come with the command or on a line of its own.
  private static func login(_ argument: String, _ lines: inout SMTPLines, _ client: Int32) -> String? {
    var response = argument.components(separatedBy: " ").dropFirst().first
    if response == nil {
      LoopbackListener.send(Array("334 \r\n".utf8), client)
      response = lines.next()
    }
    let parts = response.flatMap { Data(base64Encoded: $0) }?.split(separator: 0) ?? []
    return parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
  }

  /// Returns the address of "FROM:<ada@example.org> SIZE=5".
  private static func address(_ argument: String) -> String {
    String(argument.drop { $0 != "<" }.dropFirst().prefix { $0 != ">" })
  }

  fileprivate static func decodedWords(_ text: String) -> String {
    text.replacingOccurrences(of: "?= =?", with: "?==?").components(separatedBy: "=?UTF-8?B?").enumerated()
      .map { index, part in
        guard index > 0, let end = part.range(of: "?=") else { return part }
        let decoded = Data(base64Encoded: String(part[..<end.lowerBound])).map { String(decoding: $0, as: UTF8.self) }
        return (decoded ?? "") + part[end.upperBound...]
      }.joined()
  }

  /// Decodes a text in quoted-printable (RFC 2045, section 6.7).
  package static func decodedQuotedPrintable(_ text: String) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.replacingOccurrences(of: "=\r\n", with: "").utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "="), let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Reader of the lines that a client sends. The thread of the connection only.
private struct SMTPLines {
  private let client: Int32
  private var bytes: [UInt8] = []

  init(_ client: Int32) { self.client = client }

  /// Returns the next line without its end. Nil if the client disconnects first.
  mutating func next() -> String? {
    while true {
      if let end = bytes.firstIndex(of: 10) {
        let line = bytes[..<end].filter { $0 != 13 }
        bytes.removeSubrange(...end)
        return String(decoding: line, as: UTF8.self)
      }
      var buffer = [UInt8](repeating: 0, count: 16_384)
      let count = recv(client, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      bytes += buffer[..<count]
    }
  }

  /// Returns the lines of a mail up to the line with a single dot, with CRLF between them.
  mutating func mail() -> String? {
    var lines: [String] = []
    while let line = next() {
      guard line != "." else { return lines.joined(separator: "\r\n") }
      lines.append(line.hasPrefix(".") ? String(line.dropFirst()) : line)
    }
    return nil
  }
}
