package import Domain

/// What a subscriber does and hears, as its exam sees it.
package enum SubscriberProbe {
  /// What the subscriber asks of a feed.
  package enum Demand: Sendable, Equatable {
    case subscribed(Subject)
    case unsubscribed(Subject)
  }

  /// A topic.
  package enum Subject: Sendable, Equatable {
    case delta, heartbeat
    /// With its nonce, whatever that is.
    case join(String)
    /// Any other, as text.
    case other(String)
  }

  /// What a feed says to the subscriber.
  package struct Said: Sendable, Equatable {
    /// Which of the two feeds: 0 is the first, 1 the alternate.
    package let feed: Int
    package let subject: Subject
    package let body: Body

    package init(feed: Int, subject: Subject, body: Body) {
      self.feed = feed
      self.subject = subject
      self.body = body
    }
  }

  /// What is said.
  package enum Body: Sendable, Equatable {
    case frame(FeedReplica.Frame, Form = .plain)
    /// A body that only a later minor version has.
    case unknownBody(Epoch)
    /// Messages that nobody can read, some of which would be a loss, or a change, if they were taken.
    case malformed(after: FeedState)
  }

  /// What a frame has beside what it says.
  package enum Form: Sendable, Equatable { case plain, unknownField, laterMinor }
}

extension SubscriberProbe.Subject {
  /// The last part of the topic.
  package var word: String {
    switch self {
    case .delta: "d/"
    case .heartbeat: "h/"
    case .join: "j/NONCE/"
    case .other(let text): "\"\(text)\""
    }
  }
}
