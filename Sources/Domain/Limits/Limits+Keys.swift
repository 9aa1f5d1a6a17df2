/// Limits of keys and of the CURVE handshake.
extension Limits {
  /// Maximum number of keys on one allowlist: ten for each session or feed that could use one.
  package static let allowedKeysMax = 10_000
  /// Maximum size of a key file, in bytes. The longest allowlist with some comments fits.
  package static let keyFileBytesMax = 2_097_152
  /// Maximum size of a name after a key on an allowlist, in bytes: the same as a worker's name.
  package static let keyNameBytesMax = peerNameBytesMax
  /// Bytes that CURVE adds to a frame: its command's name, nonce, flags and authenticator (ZeroMQ RFC 26).
  package static let curveFrameBytes = 8 + 8 + 1 + 16
  /// Maximum size of a command of CURVE's handshake, in bytes. The longest, INITIATE, has 257 bytes and the peer's
  /// properties.
  package static let curveHandshakeBytesMax = 1_024
  /// Longest first pause of a client whose handshake failed, in milliseconds. Each further pause is twice as long.
  package static let handshakePauseBaseMs: Int64 = 1_000
  /// Longest pause between two failed handshakes, in milliseconds. A client whose key is added to the allowlist
  /// connects within seconds. A client with a wrong key costs the server 12 to 24 handshakes per minute. libzmq may
  /// begin further handshakes before the client stops it.
  package static let handshakePauseCapMs: Int64 = 5_000
}
