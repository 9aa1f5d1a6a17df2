/// FNV-1a hash of 64 bits (Fowler, Noll, Vo), which is equal in every process. The hash detects accidental changes, but
/// not deliberate changes. The code is inlined, because a search hashes each of its words.
package struct FNV1a: Sendable {
  @usableFromInline
  var state: UInt64

  /// Creates the hash of no bytes.
  @inlinable
  package init() { state = 14_695_981_039_346_656_037 }

  /// Hash of the bytes that were added, in their order.
  @inlinable
  package var value: UInt64 { state }

  /// Adds one byte.
  @inlinable
  package mutating func add(_ byte: UInt8) { state = (state ^ UInt64(byte)) &* 1_099_511_628_211 }

  /// Adds a number as 8 bytes, little-endian.
  package mutating func add(littleEndian number: UInt64) {
    for shift in stride(from: 0, to: UInt64(UInt64.bitWidth), by: 8) { add(UInt8(truncatingIfNeeded: number >> shift)) }
  }

  /// Returns the hash of some bytes.
  package static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
    var hash = FNV1a()
    for byte in bytes { hash.add(byte) }
    return hash.value
  }
}
