import CSodium

/// Random tokens, their hashes, and passwords' hashes: libsodium's.
enum Secrets {
  /// A password's hash is made and checked with 19 MiB and two passes: OWASP's minimum for argon2id.
  private static let passes: UInt64 = 2
  private static let memoryBytes = 19 * 1_048_576

  /// To be called once, before anything else here.
  static func prepare() {
    precondition(sodium_init() >= 0, "libsodium finds no source of randomness on this machine.")
  }

  /// 256 random bits in base64url: 43 characters.
  static func token() -> String {
    var bytes = [UInt8](repeating: 0, count: 32)
    randombytes_buf(&bytes, bytes.count)
    var text = [CChar](repeating: 0, count: 44)
    sodium_bin2base64(&text, text.count, bytes, bytes.count, sodium_base64_VARIANT_URLSAFE_NO_PADDING)
    return String(decoding: text.dropLast().map(UInt8.init), as: UTF8.self)
  }

  /// BLAKE2b, 256 bits.
  static func hash(_ text: String) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: 32)
    var text = text
    text.withUTF8 { bytes in
      _ = crypto_generichash(&hash, hash.count, bytes.baseAddress, UInt64(bytes.count), nil, 0)
    }
    return hash
  }

  /// SHA-256 in base64, for those who know no other hash.
  static func sha256(_ text: String) -> String {
    var hash = [UInt8](repeating: 0, count: 32)
    let bytes = Array(text.utf8)
    crypto_hash_sha256(&hash, bytes, UInt64(bytes.count))
    var encoded = [CChar](repeating: 0, count: 45)
    sodium_bin2base64(&encoded, encoded.count, hash, hash.count, sodium_base64_VARIANT_ORIGINAL)
    return String(decoding: encoded.dropLast().map(UInt8.init), as: UTF8.self)
  }

  /// argon2id in its string form. Slow, and takes 19 MiB, on purpose. Nil when there is no memory for it.
  static func passwordHash(_ password: String) -> String? {
    var text = [CChar](repeating: 0, count: Int(crypto_pwhash_STRBYTES))
    let made = crypto_pwhash_str_alg(
      &text, password, UInt64(password.utf8.count), passes, memoryBytes, crypto_pwhash_ALG_ARGON2ID13)
    return made == 0 ? String(decoding: text.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self) : nil
  }

  /// Whether a hash was made with less work than one is today.
  static func isOutdated(_ hash: String) -> Bool {
    // libsodium copies so many bytes without looking for the end.
    guard hash.utf8.count < Int(crypto_pwhash_STRBYTES) else { return false }
    return crypto_pwhash_str_needs_rehash(hash, passes, memoryBytes) == 1
  }

  /// Takes as long as making the hash.
  static func isPassword(_ password: String, of hash: String) -> Bool {
    guard hash.utf8.count < Int(crypto_pwhash_STRBYTES) else { return false }
    return crypto_pwhash_str_verify(hash, password, UInt64(password.utf8.count)) == 0
  }
}
