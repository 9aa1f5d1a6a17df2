import CSodium

/// Random tokens and their hashes: libsodium's.
enum Secrets {
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
    var text = text
    return text.withUTF8 { hash(UnsafeRawBufferPointer($0)) }
  }

  /// BLAKE2b, 256 bits.
  static func hash(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: 32)
    let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
    crypto_generichash(&hash, hash.count, start, UInt64(bytes.count), nil, 0)
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
}
