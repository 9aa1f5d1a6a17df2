/// A provider's name for somebody that is a way to log in to his account.
package struct LinkedIdentity: Sendable, Equatable {
  /// Whose name it is.
  package let issuer: String
  /// As `ProvidedIdentity` has it.
  package let subject: String
  /// Since when, in milliseconds since 1970, UTC.
  package let createdMs: Int64

  package init(issuer: String, subject: String, createdMs: Int64) {
    self.issuer = issuer
    self.subject = subject
    self.createdMs = createdMs
  }
}

/// Somebody, as a provider says that knows who it is: one that exists is fit to be an account.
package struct ProvidedIdentity: Sendable, Equatable {
  /// Whose word it is.
  package let issuer: String
  /// The provider's name for him, never another's: 1 to `Limits.subjectBytesMax` printable ASCII characters.
  package let subject: String
  /// In lower case, and his, as the provider says; nil where it does not.
  package let email: String?
  /// One safe line, not empty, of `Limits.nameBytesMax` at most.
  package let firstName: String
  /// The same, but it may be empty.
  package let lastName: String

  /// Nil where the subject is none.
  ///
  /// - Parameters:
  ///   - email: only where the provider has verified that it is his.
  ///   - name: all of it, which counts where there is no given name.
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
      // Some providers know nothing but the whole; where it ends in the family's name, that is the last.
      let words = ProvidedIdentity.words(name)
      last = last.isEmpty && words.count > 1 ? ProvidedIdentity.line(words.last) : last
      first = ProvidedIdentity.line((words.count > 1 ? words.dropLast() : words[...]).joined(separator: " "))
    }
    // Neither the address nor the subject: names are for everybody to see.
    firstName = first.isEmpty ? "Somebody" : first
    lastName = last
  }

  private static func words(_ text: String?) -> [String] {
    line(text, bytesMax: .max).split(separator: " ").map(String.init)
  }

  /// Returns the text without characters that a line must not have, cut to length, since no person is there to correct
  /// it. Empty if nothing of it is visible.
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
