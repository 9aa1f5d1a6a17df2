import Domain
import Mail

/// Subject and body of a mail with a link. It has no name of a user, because strangers choose names at sign-up.
struct MailText {
  private typealias Text = (subject: String, body: String)

  let subject: String
  /// Body. Its lines end with LF.
  let body: String

  /// - Parameters:
  ///   - link: The link with its token.
  ///   - origin: The site, which the mail names as its sender.
  init(_ purpose: MailToken.Purpose, link: String, origin: String, in language: MailLanguage) {
    let text: Text =
      switch (purpose, language) {
      case (.recovery, .english): MailText.englishRecovery
      case (.recovery, .german): MailText.germanRecovery
      case (.confirmation, .english): MailText.englishConfirmation
      case (.confirmation, .german): MailText.germanConfirmation
      }
    subject = text.subject
    body = text.body.replacing("LINK", with: link) + "\n\nOn The Map\n\(origin)"
  }

  private static let englishRecovery: Text = (
    "Set a new password for On The Map",
    """
    Hello,

    this link lets you choose a new password for your account:

    LINK

    It works once, for \(Limits.recoveryTokenMs / 60_000) minutes. If you did not ask for it, just ignore this mail: \
    your password stays as it is.
    """
  )

  private static let germanRecovery: Text = (
    "Neues Passwort für On The Map",
    """
    Hallo,

    mit diesem Link wählst du ein neues Passwort für dein Konto:

    LINK

    Er funktioniert einmal, \(Limits.recoveryTokenMs / 60_000) Minuten lang. Wenn du ihn nicht angefordert hast, \
    ignoriere diese Mail einfach: Dein Passwort bleibt, wie es ist.
    """
  )

  private static let englishConfirmation: Text = (
    "Confirm your email address for On The Map",
    """
    Hello,

    this link confirms that this is your email address:

    LINK

    It works once, for \(Limits.confirmationTokenMs / 3_600_000) hours. If you have no account with us, just ignore \
    this mail.
    """
  )

  private static let germanConfirmation: Text = (
    "Bestätige deine E-Mail-Adresse für On The Map",
    """
    Hallo,

    mit diesem Link bestätigst du, dass diese E-Mail-Adresse dir gehört:

    LINK

    Er funktioniert einmal, \(Limits.confirmationTokenMs / 3_600_000) Stunden lang. Wenn du kein Konto bei uns hast, \
    ignoriere diese Mail einfach.
    """
  )
}
