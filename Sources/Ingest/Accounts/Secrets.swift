import CSodium
import Domain

/// Random tokens and hashes, from libsodium.
enum Secrets {
  /// Initializes libsodium. Call this once before any other function here.
  static func prepare() {
    precondition(sodium_init() >= 0, "libsodium finds no source of randomness on this machine.")
  }

  /// Returns 256 random bits in base64url: 43 characters.
  static func token() -> String {
    var bytes = [UInt8](repeating: 0, count: 32)
    randombytes_buf(&bytes, bytes.count)
    return bytes.base64URL
  }

  /// Returns the BLAKE2b hash of a text: 256 bits.
  static func hash(_ text: String) -> [UInt8] {
    var text = text
    return text.withUTF8 { hash(UnsafeRawBufferPointer($0)) }
  }

  /// Returns the BLAKE2b hash of bytes: 256 bits.
  static func hash(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: 32)
    let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
    crypto_generichash(&hash, hash.count, start, UInt64(bytes.count), nil, 0)
    return hash
  }

  /// Returns the first 128 bits of a text's hash. Collisions do not occur in practice.
  static func fingerprint(_ text: String) -> [UInt8] { Array(hash(text).prefix(16)) }
}
