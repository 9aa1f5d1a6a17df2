/// Language of a mail, with its tag (BCP 47) as raw value.
package enum MailLanguage: String, Sendable, CaseIterable {
  case english = "en"
  case german = "de"
}
