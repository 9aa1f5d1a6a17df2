import CSodium

/// A trial of the libraries that hash passwords, for diagnosis.
package enum PasswordHashTrial {
  /// Memory of one hash, in bytes.
  package static let memoryBytes = PasswordHash.memoryBytes

  /// Version of libsodium as this process has loaded it, such as "1.0.18".
  package static var sodiumVersion: String { String(cString: sodium_version_string()) }

  /// Hashes a password with argon2, and verifies the hash with libsodium's own implementation.
  ///
  /// - Returns: The duration of the hash, or nil if memory is missing or the two libraries differ.
  package static func run() -> Duration? {
    guard sodium_init() >= 0, let memory = HashBuffer() else { return nil }
    let (password, start) = ("correct horse battery staple", ContinuousClock.now)
    guard let hash = PasswordHash.make(password, in: memory) else { return nil }
    let duration = ContinuousClock.now - start
    return crypto_pwhash_str_verify(hash, password, UInt64(password.utf8.count)) == 0 ? duration : nil
  }
}
