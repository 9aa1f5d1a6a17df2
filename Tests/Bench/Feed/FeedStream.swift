/// A parser that finds whole messages in a subscriber's bytes.
protocol FeedStream {
  init()
  /// - Parameter tell: Called for each message with its sequence number and its size in bytes.
  /// - Returns: Bytes to send back. Mostly empty.
  mutating func take(_ bytes: UnsafeRawBufferPointer, tell: (UInt64, Int) -> Void) throws -> [UInt8]
}
