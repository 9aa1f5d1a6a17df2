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
      case (.recovery, .spanish): MailText.spanishRecovery
      case (.recovery, .french): MailText.frenchRecovery
      case (.recovery, .portuguese): MailText.portugueseRecovery
      case (.confirmation, .english): MailText.englishConfirmation
      case (.confirmation, .german): MailText.germanConfirmation
      case (.confirmation, .spanish): MailText.spanishConfirmation
      case (.confirmation, .french): MailText.frenchConfirmation
      case (.confirmation, .portuguese): MailText.portugueseConfirmation
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

  private static let spanishRecovery: Text = (
    "Elige una nueva contraseña para On The Map",
    """
    Hola:

    con este enlace eliges una nueva contraseña para tu cuenta:

    LINK

    Funciona una vez, durante \(Limits.recoveryTokenMs / 60_000) minutos. Si no lo has pedido, ignora este correo: \
    tu contraseña no cambia.
    """
  )

  private static let frenchRecovery: Text = (
    "Choisis un nouveau mot de passe pour On The Map",
    """
    Bonjour,

    ce lien te permet de choisir un nouveau mot de passe pour ton compte :

    LINK

    Il fonctionne une seule fois, pendant \(Limits.recoveryTokenMs / 60_000) minutes. Si tu ne l’as pas demandé, \
    ignore simplement ce message : ton mot de passe ne change pas.
    """
  )

  private static let portugueseRecovery: Text = (
    "Escolha uma nova senha para On The Map",
    """
    Olá,

    com este link você escolhe uma nova senha para a sua conta:

    LINK

    Ele funciona uma vez, durante \(Limits.recoveryTokenMs / 60_000) minutos. Se você não o pediu, \
    ignore este e-mail: a sua senha continua a mesma.
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

  private static let spanishConfirmation: Text = (
    "Confirma tu correo electrónico para On The Map",
    """
    Hola:

    con este enlace confirmas que esta dirección de correo es tuya:

    LINK

    Funciona una vez, durante \(Limits.confirmationTokenMs / 3_600_000) horas. Si no tienes una cuenta con nosotros, \
    ignora este correo.
    """
  )

  private static let frenchConfirmation: Text = (
    "Confirme ton adresse e-mail pour On The Map",
    """
    Bonjour,

    ce lien confirme que cette adresse e-mail est la tienne :

    LINK

    Il fonctionne une seule fois, pendant \(Limits.confirmationTokenMs / 3_600_000) heures. Si tu n’as pas de compte \
    chez nous, ignore simplement ce message.
    """
  )

  private static let portugueseConfirmation: Text = (
    "Confirme o seu e-mail para On The Map",
    """
    Olá,

    este link confirma que este endereço de e-mail é seu:

    LINK

    Ele funciona uma vez, durante \(Limits.confirmationTokenMs / 3_600_000) horas. Se você não tem uma conta conosco, \
    ignore este e-mail.
    """
  )
}
