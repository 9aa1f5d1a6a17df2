/// Settings of ingest about mail and the recovery of accounts.
extension Setting {
  static let smtpURL = Setting(
    "ONTHEMAP_SMTP_URL", flag: "--smtp-url", default: .described("none"), example: "smtp://mail.example.org:587",
    summary: """
      Mail server, smtp://HOST:PORT or smtps://HOST:PORT. Enables links by mail. Requires --mail-from and \
      --public-url.
      """,
    explanation: """
      Mail server for links that set a forgotten password or confirm an address: smtp://HOST:PORT (STARTTLS, port 587 \
      by default) or smtps://HOST:PORT (TLS, port 465 by default). Requires ONTHEMAP_MAIL_FROM, and \
      ONTHEMAP_PUBLIC_URL for the links. Default: none. Users then ask the operator.
      """)
  static let smtpTLS = Setting(
    "ONTHEMAP_SMTP_TLS", flag: "--smtp-tls", default: .described("required, except on this host"), example: "required",
    summary: "TLS to the mail server with smtp://: required (STARTTLS) or none.",
    explanation: """
      TLS to the mail server with smtp://: required (STARTTLS with a valid certificate) or none. Default: required, \
      and none for a server on this host. With none for another host, mails with their links cross the network \
      unencrypted, and a password is refused.
      """)
  static let smtpUser = Setting(
    "ONTHEMAP_SMTP_USER", flag: "--smtp-user", example: "onthemap",
    summary: "User at the mail server. Password: ONTHEMAP_SMTP_PASSWORD or ONTHEMAP_SMTP_PASSWORD_FILE.",
    explanation: "User at the mail server. No default: ingest does not log in there.")
  static let smtpPassword = Setting(
    "ONTHEMAP_SMTP_PASSWORD", isSecret: true,
    explanation: """
      Password at the mail server, required with ONTHEMAP_SMTP_USER. Prefer a file, readable by its owner only (0600). \
      No default.
      """)
  static let smtpPasswordFile = Setting(
    "ONTHEMAP_SMTP_PASSWORD_FILE", example: "/etc/onthemap/smtp-password")
  static let mailFrom = Setting(
    "ONTHEMAP_MAIL_FROM", flag: "--mail-from", example: "map@example.org",
    summary: "Sender address of mails. Requires --smtp-url.",
    explanation: "Sender address of mails, which the mail server must accept. Required with ONTHEMAP_SMTP_URL.")
  static let operatorContact = Setting(
    "ONTHEMAP_OPERATOR_CONTACT", flag: "--operator-contact", default: .described("none"), example: "help@example.org",
    summary: "Your email address or URL, which the page shows to users without their password.",
    explanation: """
      Your email address or URL, which everybody can see. The page shows it to users who forgot their password, if no \
      mail server is set. Default: none.
      """)
  static let requireConfirmedEmail = Setting(
    "ONTHEMAP_REQUIRE_CONFIRMED_EMAIL", flag: "--require-confirmed-email", default: .value("no"),
    summary: "Confirmed email address as a condition for posts: yes or no. Requires --smtp-url.",
    explanation: """
      Confirmed email address as a condition for posts and edits: yes or no. Requires ONTHEMAP_SMTP_URL. Accounts from \
      before the program knew confirmations count as confirmed.
      """)
}
