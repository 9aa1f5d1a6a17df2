/// What a subscriber reads, whole messages out of bytes as they come.
protocol FeedStream {
  init()
  /// - Parameter tell: called for each message with the list's number after it, and its bytes.
  /// - Returns: what the other end wants to be answered; mostly nothing.
  mutating func take(_ bytes: UnsafeRawBufferPointer, tell: (UInt64, Int) -> Void) throws -> [UInt8]
}
