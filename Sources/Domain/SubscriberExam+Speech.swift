/// What a subscriber does and hears, as its exam sees it.
extension SubscriberExam {
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

  /// A list that the subscriber's program tells, on its output.
  package struct Shown: Sendable, Equatable {
    /// As 32 hexadecimal digits.
    package let epoch: String
    /// What the list stands at.
    package let seq: UInt64
    /// As 16 hexadecimal digits.
    package let hash: String
    /// Whether it tells it as right.
    package let isLive: Bool

    package init(epoch: String, seq: UInt64, hash: String, isLive: Bool) {
      self.epoch = epoch
      self.seq = seq
      self.hash = hash
      self.isLive = isLive
    }

    /// The fault in the form of its epoch or hash, and the right form; nil if both are right.
    var fault: String? {
      func isHexadecimal(_ text: String, digits: Int) -> Bool {
        text.utf8.count == digits
          && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
      }
      if !isHexadecimal(epoch, digits: 32) {
        return "epoch \"\(epoch)\", which is to be 32 hexadecimal digits, not base64 or another form"
      }
      if !isHexadecimal(hash, digits: 16) {
        return "stateHash \"\(hash)\", which is to be 16 hexadecimal digits, not a decimal number or another form"
      }
      return nil
    }
  }

  /// What a feed says to the subscriber.
  package struct Said: Sendable, Equatable {
    /// Which of the two feeds: 0 is the first, 1 the alternate.
    package let feed: Int
    package let subject: Subject
    package let body: Body
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

  /// A join that has come.
  struct Join: Sendable {
    let atMs: Int64
    let feed: Int
    /// Which of the connections that there have been, from 1.
    let connection: Int
    let nonce: String
  }
}

extension SubscriberExam.Subject {
  /// The last part of the topic.
  var word: String {
    switch self {
    case .delta: "d/"
    case .heartbeat: "h/"
    case .join: "j/NONCE/"
    case .other(let text): "\"\(text)\""
    }
  }
}
