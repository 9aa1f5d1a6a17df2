import CSodium
import Domain

/// Hash functions of the sign-in protocols, from libsodium.
enum Digest {
  /// Returns the SHA-256 hash of `text` in base64url without padding. The hash of a code verifier is its code
  /// challenge. (RFC 7636, section 4.2.)
  static func sha256(_ text: String) -> String {
    var hash = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
    let bytes = Array(text.utf8)
    crypto_hash_sha256(&hash, bytes, UInt64(bytes.count))
    return hash.base64URL
  }

  /// Returns the HMAC-SHA256 of `text` in lower-case hexadecimal. (RFC 2104.)
  static func hmacSHA256(_ text: String, key: String) -> String {
    var state = crypto_auth_hmacsha256_state()
    let (bytes, key) = (Array(text.utf8), Array(key.utf8))
    var hash = [UInt8](repeating: 0, count: Int(crypto_auth_hmacsha256_BYTES))
    crypto_auth_hmacsha256_init(&state, key, key.count)
    crypto_auth_hmacsha256_update(&state, bytes, UInt64(bytes.count))
    crypto_auth_hmacsha256_final(&state, &hash)
    return hexadecimal(hash)
  }
}
