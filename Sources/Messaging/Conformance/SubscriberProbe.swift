package import Domain

/// The feed's topics and frames in a conformance run of a subscriber.
package enum SubscriberProbe {
  /// A subscription that the subscriber begins or ends.
  package enum ReceivedMessage: Sendable, Equatable {
    case subscribed(Subject)
    case unsubscribed(Subject)
  }

  /// A topic.
  package enum Subject: Sendable, Equatable {
    case delta, heartbeat
    /// A join topic, with its nonce, valid or not.
    case join(String)
    /// Any other topic, as text.
    case other(String)
  }

  /// A message from a feed to the subscriber.
  package struct Stimulus: Sendable, Equatable {
    /// Number of the feed: 0 for the first feed, 1 for the failover feed.
    package let feed: Int
    package let subject: Subject
    package let body: Body

    package init(feed: Int, subject: Subject, body: Body) {
      self.feed = feed
      self.subject = subject
      self.body = body
    }
  }

  /// The frame of a message.
  package enum Body: Sendable, Equatable {
    case frame(FeedReplica.Frame, Form = .plain)
    /// A body of a later minor version.
    case unknownBody(Epoch)
    /// Malformed messages. A subscriber that accepts one of them joins again or has another list.
    case malformed(after: FeedState)
  }

  /// Additions to a frame.
  package enum Form: Sendable, Equatable { case plain, unknownField, laterMinor }
}

extension SubscriberProbe.Subject {
  /// The last part of the topic.
  package var name: String {
    switch self {
    case .delta: "d/"
    case .heartbeat: "h/"
    case .join: "j/NONCE/"
    case .other(let text): "\"\(text)\""
    }
  }
}
