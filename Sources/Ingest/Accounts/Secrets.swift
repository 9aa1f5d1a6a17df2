import CSodium
import Domain

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
    return bytes.base64URL
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

  /// Returns the first 128 bits of the hash. Two texts do not share them in practice.
  static func fingerprint(_ text: String) -> [UInt8] { Array(hash(text).prefix(16)) }
}
