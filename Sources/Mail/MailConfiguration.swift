import Domain

/// Configuration of the mails that ingest sends.
package struct MailConfiguration: Sendable {
  /// The server that accepts the mails.
  package let server: SMTPServer
  /// Name and address of the sender.
  package let sender: MailMessage.Mailbox
  /// Cap of the first pause before another attempt, in milliseconds. Each further cap is twice as long.
  package var retryMs = Limits.mailRetryMs

  package init(server: SMTPServer, sender: MailMessage.Mailbox) {
    self.server = server
    self.sender = sender
  }
}
