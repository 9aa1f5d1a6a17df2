import CArgon2
import CSodium
import Domain
import Glibc

/// Password hashes by argon2id (RFC 9106) in the string form that libsodium uses too:
/// `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`.
enum PasswordHash {
  /// Number of passes over the memory. Two passes over 19 MiB are OWASP's minimum.
  private static let passes: UInt32 = 2
  private static let memoryKiB: UInt32 = 19_456
  static let memoryBytes = Int(memoryKiB) * 1_024
  private static let saltBytes = 16
  private static let hashBytes = 32
  private static let head = "$argon2id$v=\(ARGON2_VERSION_13.rawValue)$m=\(memoryKiB),t=\(passes),p=1$"

  /// Hashes a password. Slow and memory-hard on purpose. Returns nil if argon2 fails.
  static func make(_ password: String, in memory: HashBuffer) -> String? {
    var salt = [UInt8](repeating: 0, count: saltBytes)
    randombytes_buf(&salt, salt.count)
    return compute(password, salt: salt, in: memory).map { head + salt.base64 + "$" + $0.base64 }
  }

  /// Returns true if a hash is that of the password. Takes as long as the computation of the hash took.
  static func isPassword(_ password: String, of hash: String, in memory: HashBuffer) -> Bool {
    guard hash.hasPrefix(head) else {
      // The hash has other work factors. libsodium expects fewer than this many bytes before the NUL.
      return hash.utf8.count < Int(crypto_pwhash_STRBYTES)
        && crypto_pwhash_str_verify(hash, password, UInt64(password.utf8.count)) == 0
    }
    let parts = hash.dropFirst(head.count).split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count == 2, let salt = [UInt8](base64: parts[0]), salt.count == saltBytes,
      let stored = [UInt8](base64: parts[1]), stored.count == hashBytes,
      let computed = compute(password, salt: salt, in: memory)
    else { return false }
    return sodium_memcmp(computed, stored, hashBytes) == 0
  }

  /// Returns true if a hash has less work than a new hash, or another form. A hash with more work is not outdated.
  static func isOutdated(_ hash: String) -> Bool {
    guard let cost = hash.prefixMatch(of: /\$argon2id\$v=19\$m=([0-9]{1,9}),t=([0-9]{1,9}),p=1\$/)?.output,
      let memory = UInt32(cost.1), let passes = UInt32(cost.2)
    else { return true }
    return memory < memoryKiB || passes < PasswordHash.passes
  }

  private static func compute(_ password: String, salt: [UInt8], in memory: HashBuffer) -> [UInt8]? {
    var (password, salt) = (Array(password.utf8), salt)
    var hash = [UInt8](repeating: 0, count: hashBytes)
    let result = password.withUnsafeMutableBufferPointer { password in
      salt.withUnsafeMutableBufferPointer { salt in
        hash.withUnsafeMutableBufferPointer { hash in
          var context = argon2_context()
          (context.out, context.outlen) = (hash.baseAddress, UInt32(hash.count))
          (context.pwd, context.pwdlen) = (password.baseAddress, UInt32(password.count))
          (context.salt, context.saltlen) = (salt.baseAddress, UInt32(salt.count))
          (context.t_cost, context.m_cost, context.lanes, context.threads) = (passes, memoryKiB, 1, 1)
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
