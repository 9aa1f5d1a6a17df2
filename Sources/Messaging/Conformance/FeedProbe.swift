package import Domain

/// What a feed says and hears, as its exam sees it.
package enum FeedProbe {
  /// What the feed has said.
  package enum Utterance: Sendable {
    case fetch(Fetch)
    /// On the change log: what is wrong with it.
    case badFetch(String)
    /// To one of the exam's subscribers.
    case told(subscriber: Int, Subject, FeedReplica.Frame)
    /// To one of the exam's subscribers: what is wrong with it.
    case badFrame(String)
    /// To a question.
    case answer(id: UInt64, Answer)
  }

  /// A FetchRequest.
  package struct Fetch: Sendable {
    /// Which of the connections that there have been, from 1.
    package let connection: Int
    /// The feed's own, which rises.
    package let id: UInt64
    /// Its name, for people.
    package let feed: String
    /// As it came: 16 bytes or none where it is right.
    package let epoch: [UInt8]
    /// What the feed has.
    package let afterSeq: UInt64
    /// Changes wanted.
    package let max: Int
    /// How long the answer may wait for something new.
    package let waitMs: Int64

    package init(
      connection: Int, id: UInt64, feed: String, epoch: [UInt8], afterSeq: UInt64, max: Int, waitMs: Int64
    ) {
      self.connection = connection
      self.id = id
      self.feed = feed
      self.epoch = epoch
      self.afterSeq = afterSeq
      self.max = max
      self.waitMs = waitMs
    }
  }

  /// A topic.
  package enum Subject: Sendable, Hashable {
    case snapshot, delta, heartbeat
    case join(String)
    /// Any other, after the feed's name.
    case other(String)
  }

  /// What is asked of the feed.
  package enum Question: Sendable, Equatable {
    case snapshot(Epoch?, seq: UInt64)
    case changes(Epoch, after: UInt64)
    /// Nobody can read it.
    case malformed
  }

  /// What the feed answers.
  package enum Answer: Sendable, Equatable {
    case list(FeedState, hash: UInt64)
    case delta(FeedDelta, Epoch, hash: UInt64)
    case notModified
    case error
    case unreadable
  }

  /// What is said to the feed.
  package enum Said: Sendable, Equatable {
    case reply(id: UInt64, Epoch, ChangeLog.Answer)
    case wrongList(id: UInt64, FeedState)
    /// Replies that nobody can read; a change is in some.
    case malformed(id: UInt64, Epoch, FeedEntry)
    case subscribe(subscriber: Int, Subject)
    case ask(id: UInt64, Question)
    /// Its process gets SIGTERM.
    case terminate
  }
}
