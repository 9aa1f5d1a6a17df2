/// Language of a mail, with its tag (BCP 47) as raw value. The page has the same languages.
package enum MailLanguage: String, Sendable, CaseIterable {
  case english = "en"
  case german = "de"
  case spanish = "es"
  case french = "fr"
  case portuguese = "pt"
}
