package import Domain

/// The job link's messages in a conformance run of a worker.
package enum WorkerProbe {
  /// A message from the worker.
  package struct ReceivedMessage: Sendable {
    /// A Result and its lease. The reply is nil if the protocol forbids the outcome.
    package typealias DecodedResult = (lease: Lease, reply: WorkerReply?)

    /// The frame's body.
    package enum Body: Sendable {
      case hello(Hello)
      case credit(jobLimit: UInt64)
      case results([DecodedResult])
      case release([Lease], goodbye: Bool)
      case heartbeat(jobLimit: UInt64, held: [Lease], progress: UInt64?)
      /// The fault of the message.
      case unreadable(String)
    }

    /// Number of the connection, from 1 in the order of their first messages.
    package let connection: Int
    /// Session of the frame. 0 if the frame is unreadable.
    package let session: UInt64
    /// Length of the whole message, in bytes.
    package let byteCount: Int
    package let body: Body
  }

  /// A worker's Hello.
  package struct Hello: Sendable {
    /// Major versions that the worker speaks.
    package let majors: (min: UInt32, max: UInt32)
    package let worker: String
    /// Instance as received: 16 bytes if it is valid.
    package let instance: [UInt8]
    package let software: String
    /// Leases of running jobs and of unacknowledged results.
    package let held: [Lease]
  }

  /// A message to the worker.
  package enum Stimulus: Sendable, Equatable {
    case welcome(session: UInt64)
    case jobs(session: UInt64, [LeasedJob], Version = .ours)
    /// Acknowledgements of results.
    ///
    /// - Parameter disposition: Number of the disposition, which the protocol may not know.
    case acks(session: UInt64, [Lease], disposition: UInt8)
    case heartbeat(session: UInt64, jobsSent: UInt64)
    case reset(session: UInt64)
    case drain(session: UInt64)
    case error(Refusal, retryAfterMs: Int64)
    /// Malformed frames. Some of them would be a Reset if the worker accepted them.
    case malformed(session: UInt64)
    /// A body of a later minor version.
    case unknownBody(session: UInt64)
  }

  /// The version of a frame.
  package enum Version: Sendable { case ours, laterMinor, otherMajor }
  /// An Error's code.
  package enum Refusal: Sendable { case busy, unsupportedVersion }

  /// A job for the worker.
  package struct LeasedJob: Sendable, Equatable {
    /// The kind of job.
    package enum Kind: Sendable { case post, lookup, unknownLookup, postWithUnknownField }
    package let lease: Lease
    package let query: String
    package let kind: Kind

    package init(lease: Lease, query: String, kind: Kind) {
      self.lease = lease
      self.query = query
      self.kind = kind
    }
  }
}

extension WorkerProbe.ReceivedMessage.Body {
  /// The name of the message in the protocol.
  package var name: String {
    switch self {
    case .hello: "Hello"
    case .credit: "Credit"
    case .results: "Results"
    case .release: "Release"
    case .heartbeat: "WorkerHeartbeat"
    case .unreadable: "a frame that cannot be read"
    }
  }
}
