import CArgon2
import CSodium
import Domain
import Glibc

/// Password hashes by argon2id (RFC 9106) in the string form that libsodium uses too:
/// `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`.
enum PasswordHash {
  static let memoryBytes = Limits.passwordHashKiB * 1_024
  private static let head =
    "$argon2id$v=\(ARGON2_VERSION_13.rawValue)$m=\(Limits.passwordHashKiB),t=\(Limits.passwordHashPasses),p=1$"

  /// The computation that shows whether a stored hash is that of a password.
  struct Comparison {
    let work: PasswordHashWork
    fileprivate let stored: [UInt8]

    /// Returns true if the computed hash is the stored one. The time does not depend on the bytes.
    func isSame(_ computed: [UInt8]) -> Bool {
      computed.count == stored.count && sodium_memcmp(computed, stored, stored.count) == 0
    }
  }

  /// Returns the computation of a new hash, with a random salt.
  static func work(for password: String) -> PasswordHashWork {
    var salt = [UInt8](repeating: 0, count: Limits.passwordSaltBytes)
    randombytes_buf(&salt, salt.count)
    return PasswordHashWork(password: Secret(password), salt: salt)
  }

  /// Returns the string form of a new hash.
  static func text(_ hash: [UInt8], of work: PasswordHashWork) -> String { head + work.salt.base64 + "$" + hash.base64 }

  /// Hashes a password. Slow and memory-hard on purpose. Returns nil if argon2 fails.
  static func make(_ password: String, in memory: HashBuffer) -> String? {
    let work = work(for: password)
    return compute(work, in: memory).map { text($0, of: work) }
  }

  /// Returns the computation for the comparison of a password with a hash. Nil if the hash has other work factors than
  /// a new one, or another form.
  static func comparison(of password: String, with hash: String) -> Comparison? {
    guard hash.hasPrefix(head) else { return nil }
    let parts = hash.dropFirst(head.count).split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count == 2, let salt = [UInt8](base64: parts[0]), salt.count == Limits.passwordSaltBytes,
      let stored = [UInt8](base64: parts[1]), stored.count == Limits.passwordHashBytes
    else { return nil }
    return Comparison(work: PasswordHashWork(password: Secret(password), salt: salt), stored: stored)
  }

  /// Returns true if a hash is that of the password. Takes as long as the computation of the hash took.
  static func isPassword(_ password: String, of hash: String, in memory: HashBuffer) -> Bool {
    if let comparison = comparison(of: password, with: hash) {
      return compute(comparison.work, in: memory).map(comparison.isSame) ?? false
    }
    // libsodium expects fewer than this many bytes before the NUL. It refuses a hash with a wrong form.
    return hash.utf8.count < Int(crypto_pwhash_STRBYTES)
      && crypto_pwhash_str_verify(hash, password, UInt64(password.utf8.count)) == 0
  }

  /// Returns true if a hash has less work than a new hash, or another form. A hash with more work is not outdated.
  static func isOutdated(_ hash: String) -> Bool {
    guard let cost = hash.prefixMatch(of: /\$argon2id\$v=19\$m=([0-9]{1,9}),t=([0-9]{1,9}),p=1\$/)?.output,
      let memory = UInt32(cost.1), let passes = UInt32(cost.2)
    else { return true }
    return memory < Limits.passwordHashKiB || passes < Limits.passwordHashPasses
  }

  /// Computes a hash. Returns nil if the work exceeds its limits, or if argon2 fails.
  static func compute(_ work: PasswordHashWork, in memory: HashBuffer) -> [UInt8]? {
    guard work.isWithinLimits else { return nil }
    var (password, salt) = (Array(work.password.text.utf8), work.salt)
    var hash = [UInt8](repeating: 0, count: Limits.passwordHashBytes)
    let result = password.withUnsafeMutableBufferPointer { password in
      salt.withUnsafeMutableBufferPointer { salt in
        hash.withUnsafeMutableBufferPointer { hash in
          var context = argon2_context()
          (context.out, context.outlen) = (hash.baseAddress, UInt32(hash.count))
          (context.pwd, context.pwdlen) = (password.baseAddress, UInt32(password.count))
          (context.salt, context.saltlen) = (salt.baseAddress, UInt32(salt.count))
          (context.t_cost, context.m_cost) = (UInt32(work.passes), UInt32(work.memoryKiB))
          (context.lanes, context.threads) = (1, 1)
          context.version = ARGON2_VERSION_13.rawValue
          context.allocate_cbk = { bytes, _ in
            bytes?.pointee = HashBuffer.current?.bytes
            return 0
          }
          context.free_cbk = { _, _ in }
          return HashBuffer.$current.withValue(memory) { argon2id_ctx(&context) }
        }
      }
    }
    return result == ARGON2_OK.rawValue ? hash : nil
  }
}
