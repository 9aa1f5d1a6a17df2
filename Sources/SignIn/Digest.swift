import CSodium
import Domain

/// What the protocols hash, by libsodium.
enum Digest {
  /// SHA-256 in base64url without padding: of a code verifier, its challenge. (RFC 7636, section 4.2.)
  static func sha256(_ text: String) -> String {
    var hash = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
    let bytes = Array(text.utf8)
    crypto_hash_sha256(&hash, bytes, UInt64(bytes.count))
    return hash.base64URL
  }

  /// HMAC-SHA256 in lower-case hexadecimal. (RFC 2104.)
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
