package import Domain

/// What a worker says and hears, as its exam sees it.
package enum WorkerProbe {
  /// What the worker has said.
  package struct Utterance: Sendable {
    /// A Result; nil where the protocol forbids its outcome.
    package typealias Answer = (lease: Lease, answer: WorkerAnswer?)

    /// The frame's body.
    package enum Body: Sendable {
      case hello(Hello)
      case ready(jobLimit: UInt64)
      case results([Answer])
      case release([Lease], goodbye: Bool)
      case heartbeat(jobLimit: UInt64, held: [Lease], progress: UInt64?)
      /// What is wrong with it.
      case unreadable(String)
    }

    /// Which of the connections that there have been, from 1.
    package let connection: Int
    /// The frame's; 0 where it could not be read.
    package let session: UInt64
    /// Of the whole frame.
    package let byteCount: Int
    package let body: Body

    package init(connection: Int, session: UInt64, byteCount: Int, _ body: Body) {
      self.connection = connection
      self.session = session
      self.byteCount = byteCount
      self.body = body
    }
  }

  /// A worker's Hello.
  package struct Hello: Sendable {
    /// The versions that it speaks.
    package let majors: (min: UInt32, max: UInt32)
    package let worker: String
    /// As it came: 16 bytes where it is right.
    package let instance: [UInt8]
    package let software: String
    /// What it works on, and results that are not acknowledged.
    package let held: [Lease]

    package init(
      majors: (min: UInt32, max: UInt32), worker: String, instance: [UInt8], software: String, held: [Lease]
    ) {
      self.majors = majors
      self.worker = worker
      self.instance = instance
      self.software = software
      self.held = held
    }
  }

  /// What is said to the worker.
  package enum Said: Sendable, Equatable {
    case welcome(session: UInt64)
    case jobs(session: UInt64, [Task], Version = .ours)
    /// With the numbers of dispositions, for some are unknown.
    case acks(session: UInt64, [Lease], disposition: UInt8)
    case heartbeat(session: UInt64, jobsSent: UInt64)
    case reset(session: UInt64)
    case drain(session: UInt64)
    case error(Refusal, retryAfterMs: Int64)
    /// Frames that nobody can read.
    case malformed(session: UInt64)
    /// A body that only a later minor version has.
    case unknownBody(session: UInt64)
    /// Its process gets SIGTERM.
    case terminate
  }

  /// A frame's version.
  package enum Version: Sendable { case ours, laterMinor, otherMajor }
  /// An Error's code.
  package enum Refusal: Sendable { case busy, unsupportedVersion }

  /// A job as it is sent.
  package struct Task: Sendable, Equatable {
    /// What it asks.
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

extension WorkerProbe.Utterance.Body {
  /// The message's name.
  package var word: String {
    switch self {
    case .hello: "Hello"
    case .ready: "Ready"
    case .results: "Results"
    case .release: "Release"
    case .heartbeat: "WorkerHeartbeat"
    case .unreadable: "a frame that cannot be read"
    }
  }
}
