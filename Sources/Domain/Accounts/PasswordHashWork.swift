/// The computation of a password hash by argon2id (RFC 9106) with one lane. No description shows the password.
package struct PasswordHashWork: Sendable, Equatable {
  /// The password, at most `Limits.passwordBytesMax` bytes.
  package let password: Secret
  /// Salt, `Limits.passwordSaltBytes` bytes.
  package let salt: [UInt8]
  /// Memory of the computation, in KiB.
  package let memoryKiB: Int
  /// Number of passes over the memory.
  package let passes: Int

  /// Creates the computation, by default with the work factors of new hashes.
  package init(
    password: Secret, salt: [UInt8], memoryKiB: Int = Limits.passwordHashKiB, passes: Int = Limits.passwordHashPasses
  ) {
    self.password = password
    self.salt = salt
    self.memoryKiB = memoryKiB
    self.passes = passes
  }

  /// True if this program computes the hash: it has a valid salt, a valid password, and no more work than a new hash.
  package var isWithinLimits: Bool {
    password.text.utf8.count <= Limits.passwordBytesMax && salt.count == Limits.passwordSaltBytes
      && (Limits.passwordHashKiBMin...Limits.passwordHashKiB).contains(memoryKiB)
      && (1...Limits.passwordHashPasses).contains(passes)
  }
}
