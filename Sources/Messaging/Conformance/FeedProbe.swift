package import Domain

/// The messages in a conformance run of a feed, on the change log, to subscribers and on the query port.
package enum FeedProbe {
  /// A message from the feed.
  package enum ReceivedMessage: Sendable {
    case fetch(Fetch)
    /// A malformed message on the change log, with its fault.
    case badFetch(String)
    /// A frame to one of the run's subscribers.
    case published(subscriber: Int, Subject, FeedReplica.Frame)
    /// A malformed message to a subscriber, with its fault.
    case badFrame(String)
    /// A reply to a query.
    case reply(id: UInt64, Reply)
  }

  /// A FetchRequest.
  package struct Fetch: Sendable {
    /// Number of the connection, from 1 in the order of their first messages.
    package let connection: Int
    /// Request id, which rises.
    package let id: UInt64
    /// Name of the feed, for people.
    package let feed: String
    /// Epoch as received: 16 bytes or none if it is valid.
    package let epoch: [UInt8]
    /// Sequence number of the feed's list.
    package let afterSeq: UInt64
    /// Maximum number of changes in the reply.
    package let max: Int
    /// Time that the reply may wait for a change, in milliseconds.
    package let waitMs: Int64
  }

  /// A topic.
  package enum Subject: Sendable, Hashable {
    case snapshot, delta, heartbeat
    case join(String)
    /// The part of any other topic after the feed's name.
    case other(String)
  }

  /// A query to the feed.
  package enum Query: Sendable, Equatable {
    case snapshot(Epoch?, seq: UInt64)
    case changes(Epoch, after: UInt64)
    /// A malformed frame.
    case malformed
  }

  /// A reply of the feed.
  package enum Reply: Sendable, Equatable {
    case snapshot(FeedState, hash: UInt64)
    case delta(FeedDelta, Epoch, hash: UInt64)
    case notModified
    case error
    case unreadable
  }

  /// A message to the feed.
  package enum Stimulus: Sendable, Equatable {
    case reply(id: UInt64, Epoch, ChangeLog.FetchResult)
    case wrongList(id: UInt64, FeedState)
    /// Malformed replies. Some of them would change the list if the feed accepted them.
    case malformed(id: UInt64, Epoch, FeedEntry)
    case subscribe(subscriber: Int, Subject)
    case query(id: UInt64, Query)
  }
}
