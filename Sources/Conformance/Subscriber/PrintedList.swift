/// A list that a subscriber's program prints.
package struct PrintedList: Sendable, Equatable {
  /// The epoch, as 32 hexadecimal digits if it is well-formed.
  package let epoch: String
  /// Sequence number of the list.
  package let seq: UInt64
  /// The state hash, as 16 hexadecimal digits if it is well-formed.
  package let hash: String
  /// True if the program reports that the list is right.
  package let isLive: Bool

  package init(epoch: String, seq: UInt64, hash: String, isLive: Bool) {
    self.epoch = epoch
    self.seq = seq
    self.hash = hash
    self.isLive = isLive
  }

  /// The fault in the form of the epoch or of the hash, with the expected form. Nil if both forms are right.
  var fault: String? {
    func isHexadecimal(_ text: String, digits: Int) -> Bool {
      text.utf8.count == digits
        && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }
    if !isHexadecimal(epoch, digits: 32) {
      return "epoch \"\(epoch)\", expected 32 hexadecimal digits, not base64 or another form"
    }
    if !isHexadecimal(hash, digits: 16) {
      return "stateHash \"\(hash)\", expected 16 hexadecimal digits, not a decimal number or another form"
    }
    return nil
  }
}
