package import Domain

/// The submission link's messages in a conformance run of a producer.
package enum ProducerProbe {
  /// A message from the producer.
  package struct ReceivedMessage: Sendable {
    /// The frame's body.
    package enum Body: Sendable {
      case batch([SubmittedPost])
      /// Post ids as received.
      case query([String])
      /// The fault of the message.
      case unreadable(String)
    }

    /// Number of the connection, from 1 in the order of their first messages.
    package let connection: Int
    /// Request id. 0 if the frame is unreadable.
    package let id: UInt64
    package let token: String
    /// Length of the whole message, in bytes.
    package let byteCount: Int
    package let body: Body
  }

  /// A message to the producer, with the number of its connection.
  package enum Stimulus: Sendable, Equatable {
    /// Receipts of a batch.
    ///
    /// - Parameter isLater: True for a frame of a later minor version, with an unknown field.
    case receipts(connection: Int, id: UInt64, [SubmitReceipt], isLater: Bool = false)
    /// Statuses in which each post is published.
    case statuses(connection: Int, id: UInt64, [String])
    case error(connection: Int, id: UInt64, Refusal, retryAfterMs: Int64)
    /// Malformed frames. Some of them would acknowledge the whole batch if the producer accepted them.
    case malformed(connection: Int, id: UInt64, [SubmitReceipt])
  }

  /// An Error's code.
  package enum Refusal: Sendable { case malformed, busy, unauthorized }
}
