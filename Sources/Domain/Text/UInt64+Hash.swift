extension UInt64 {
  /// Returns a hash of a key that outsiders cannot choose, such as a consecutive number. The hash costs one
  /// multiplication. The standard library's SipHash defends tables against chosen keys, but its cost is visible in
  /// profiles.
  ///
  /// - Parameter seed: Seed of the table, so that two tables do not have the same order.
  func hash(seed: Int) -> Int {
    // The factor is 2^64 divided by the golden ratio. The hash combines both halves of the product, so that each bit of
    // the key reaches the hash's low bits.
    let product = (self ^ UInt64(UInt(bitPattern: seed))).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return Int(truncatingIfNeeded: product.high ^ product.low)
  }
}
