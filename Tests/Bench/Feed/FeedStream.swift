/// A parser that finds whole messages in a subscriber's bytes.
protocol FeedStream {
  init()
  /// - Parameter onMessage: Called for each message with its sequence number and its size in bytes.
  /// - Returns: Bytes to send back. Usually empty.
  mutating func receive(_ bytes: UnsafeRawBufferPointer, onMessage: (UInt64, Int) -> Void) throws -> [UInt8]
}
