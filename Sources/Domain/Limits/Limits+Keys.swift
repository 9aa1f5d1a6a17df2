/// Limits of keys and of the CURVE handshake.
extension Limits {
  /// Keys on one allow-list: ten for every session or feed that could use them.
  package static let allowedKeysMax = 10_000
  /// Size of a file of keys: the longest list with some comments fits.
  package static let keyFileBytesMax = 2_097_152
  /// Size of a name behind a key on an allow-list: as long as a worker's.
  package static let keyNameBytesMax = peerNameBytesMax
  /// Bytes that CURVE adds to a frame: its command's name, nonce, flags and authenticator. (ZeroMQ RFC 26.)
  package static let curveFrameBytes = 8 + 8 + 1 + 16
  /// Size of a command of CURVE's handshake: the longest, INITIATE, has 257 bytes and the peer's properties.
  package static let curveHandshakeBytesMax = 1_024
  /// Longest first pause of a client whose handshake failed; doubled each time.
  package static let handshakePauseBaseMs: Int64 = 1_000
  /// Longest pause between two handshakes that fail: short enough that a key that is added to a list is connected
  /// within seconds, long enough that a wrong one costs its server at most 24 handshakes a minute.
  package static let handshakePauseCapMs: Int64 = 5_000
}
