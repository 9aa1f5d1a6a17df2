/// An identity that is linked to an account as a way to log in.
package struct LinkedIdentity: Sendable, Equatable {
  /// Issuer of the identity: the URL that identifies the provider.
  package let issuer: String
  /// The provider's name for the person, as in `ProvidedIdentity`.
  package let subject: String
  /// Time at which the identity was linked, in milliseconds since 1970, UTC.
  package let createdMs: Int64

  package init(issuer: String, subject: String, createdMs: Int64) {
    self.issuer = issuer
    self.subject = subject
    self.createdMs = createdMs
  }
}

/// A person's identity as a provider confirms it. Every field is valid for an account.
package struct ProvidedIdentity: Sendable, Equatable {
  /// Issuer of the identity: the URL that identifies the provider.
  package let issuer: String
  /// The provider's name for the person: 1 to `Limits.subjectBytesMax` printable ASCII characters. The provider never
  /// gives the name to another person.
  package let subject: String
  /// Email address that the provider has verified, in lower case. Nil without such an address.
  package let email: String?
  /// First name: one safe line of 1 to `Limits.nameBytesMax` bytes.
  package let firstName: String
  /// Last name: one safe line of at most `Limits.nameBytesMax` bytes, possibly empty.
  package let lastName: String

  /// Returns nil if the subject is invalid.
  ///
  /// - Parameters:
  ///   - email: Address that the provider has verified, else nil.
  ///   - name: Full name, used if there is no given name.
  package init?(
    issuer: String, subject: String, email: String?, givenName: String?, familyName: String?, name: String?
  ) {
    guard (1...Limits.subjectBytesMax).contains(subject.utf8.count),
      subject.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
    else { return nil }
    self.issuer = issuer
    self.subject = subject
    self.email = email.flatMap { try? Registration.checked(email: $0) }
    var first = ProvidedIdentity.line(givenName)
    var last = ProvidedIdentity.line(familyName)
    if first.isEmpty {
      // Some providers supply only the full name. Its last word is then the last name, unless a family name is given.
      let words = ProvidedIdentity.words(name)
      last = last.isEmpty && words.count > 1 ? ProvidedIdentity.line(words.last) : last
      first = ProvidedIdentity.line((words.count > 1 ? words.dropLast() : words[...]).joined(separator: " "))
    }
    // The fallback is neither the address nor the subject, because names are public.
    firstName = first.isEmpty ? "Somebody" : first
    lastName = last
  }

  private static func words(_ text: String?) -> [String] {
    line(text, bytesMax: .max).split(separator: " ").map(String.init)
  }

  /// Returns the text as one safe line of at most `bytesMax` bytes. Empty if no character is visible. An unsafe or long
  /// name is repaired and not refused, because the person cannot correct it.
  private static func line(_ text: String?, bytesMax: Int = Limits.nameBytesMax) -> String {
    var safe = String.UnicodeScalarView()
    for scalar in (text ?? "").unicodeScalars.prefix(4 * Limits.nameBytesMax) {
      safe.append(scalar.properties.isWhitespace ? " " : scalar)
    }
    let visible = VisibleText(String(safe)).replacingHidden { _ in "" }
    guard VisibleText(visible).showsSomething else { return "" }
    var line = ""
    for word in visible.split(separator: " ") {
      for character in (line.isEmpty ? "" : " ") + word {
        guard line.utf8.count + character.utf8.count <= bytesMax else {
          return VisibleText(line.trimmedLine).withoutHiddenEnd
        }
        line.append(character)
      }
    }
    return line
  }
}
