import Foundation
import Glibc

/// A mail in plain text to one recipient.
package struct MailMessage: Sendable {
  /// A name with its address.
  package struct Mailbox: Sendable, Equatable {
    package let name: HeaderText
    package let address: MailAddress

    package init(name: HeaderText, address: MailAddress) {
      self.name = name
      self.address = address
    }

    var header: String { name.phrase.isEmpty ? address.text : "\(name.phrase) <\(address.text)>" }
  }

  package let sender: Mailbox
  package let recipient: Mailbox
  package let subject: HeaderText
  package let language: MailLanguage
  /// Body. Its lines end with LF.
  package let body: String
  /// Time of the header Date, in milliseconds since 1970, UTC.
  package let unixMs: Int64
  /// Unique part of the header Message-ID. A repeated delivery has the same one.
  private let id = UUID()

  package init(
    from sender: Mailbox, to recipient: Mailbox, subject: HeaderText, language: MailLanguage, body: String,
    unixMs: Int64
  ) {
    self.sender = sender
    self.recipient = recipient
    self.subject = subject
    self.language = language
    self.body = body
    self.unixMs = unixMs
  }

  /// The complete mail (RFC 5322). All lines end with CRLF.
  var text: String {
    let headers = [
      ("Date", MailMessage.date(unixMs: unixMs)), ("From", sender.header), ("To", recipient.header),
      ("Subject", subject.unstructured), ("Message-ID", "<\(id.uuidString)@\(sender.address.host)>"),
      ("MIME-Version", "1.0"), ("Content-Type", "text/plain; charset=utf-8"), ("Content-Language", language.rawValue),
      ("Content-Transfer-Encoding", "quoted-printable"),
      // No out-of-office reply (RFC 3834).
      ("Auto-Submitted", "auto-generated"),
    ]
    return headers.map { "\($0): \($1)\r\n" }.joined() + "\r\n" + QuotedPrintable.encode(body) + "\r\n"
  }

  /// Returns a time as the header Date has it (RFC 5322, section 3.3), such as "Fri, 27 Nov 2026 16:07:59 +0000".
  static func date(unixMs: Int64) -> String {
    var seconds = time_t(unixMs / 1_000)
    var time = tm()
    gmtime_r(&seconds, &time)
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let day = "\(days[Int(time.tm_wday)]), \(twoDigits(time.tm_mday)) \(months[Int(time.tm_mon)])"
    let clock = [time.tm_hour, time.tm_min, time.tm_sec].map(twoDigits).joined(separator: ":")
    return "\(day) \(time.tm_year + 1_900) \(clock) +0000"
  }

  private static func twoDigits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
