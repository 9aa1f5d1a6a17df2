extension UInt64 {
  /// A hash for keys that nobody outside can choose, such as numbers that are counted up. It costs a multiplication;
  /// the standard library's own, SipHash, defends tables against chosen keys, and shows up in profiles.
  ///
  /// - Parameter seed: the table's, so that two tables do not have the same order.
  func hash(seed: Int) -> Int {
    // 2^64 divided by the golden ratio; both halves, so that each bit of the key reaches the low bits of the hash.
    let product = (self ^ UInt64(UInt(bitPattern: seed))).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return Int(truncatingIfNeeded: product.high ^ product.low)
  }
}
