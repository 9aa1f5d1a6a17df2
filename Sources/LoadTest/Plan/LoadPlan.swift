import Domain

/// The posts of a run and their due times. Post i is due at start + i / rate, independent of earlier posts. Pure: the
/// same plan always gives the same posts.
package struct LoadPlan: Sendable {
  /// Posts per second.
  let rate: Int
  /// Duration in which posts become due, in seconds.
  let seconds: Int
  /// Id of the run: 8 hexadecimal digits, which the links of its posts contain.
  let run: String
  let seed: UInt64
  let places: PlaceTexts

  /// Creates a plan.
  ///
  /// - Parameters:
  ///   - rate: Posts per second.
  ///   - seconds: Duration in which posts become due, in seconds.
  ///   - run: 8 hexadecimal digits, unique to the run.
  ///   - seed: Seed of the random places. The same seed repeats them.
  ///   - places: Texts of the places.
  package init(rate: Int, seconds: Int, run: String, seed: UInt64, places: PlaceTexts) {
    (self.rate, self.seconds, self.run, self.seed, self.places) = (rate, seconds, run, seed, places)
  }

  /// Total number of posts.
  var count: Int { rate * seconds }

  /// Returns the due time of a post, in nanoseconds from the start.
  func dueNs(_ post: Int) -> Int64 {
    Int64(post / rate) * 1_000_000_000 + Int64(post % rate) * 1_000_000_000 / Int64(rate)
  }

  /// The prefix of all links of the run.
  var linkPrefix: String { "https://load.invalid/\(run)/" }

  func link(_ post: Int) -> String { linkPrefix + String(post) }

  /// Returns the post of a link. Nil for links of other clients.
  func post(_ link: String) -> Int? {
    guard link.utf8.starts(with: linkPrefix.utf8), let post = Int(link.utf8.dropFirst(linkPrefix.utf8.count).text),
      (0..<count).contains(post)
    else { return nil }
    return post
  }

  /// Returns the idempotency key of a post, the same at every attempt. The server therefore stores the post only once.
  func idempotencyKey(_ post: Int) -> String { "\(run)-\(post)" }

  /// Returns the place text of a post.
  func place(_ post: Int) -> String { places.text(random: SplitMix64.value(seed: seed, at: UInt64(post))) }

  /// Returns the body of the request.
  func body(_ post: Int) -> [UInt8] {
    JSONWriter.object { json in
      json.add("place", place(post))
      json.add("link", link(post))
    }.bytes
  }
}

extension Substring.UTF8View {
  fileprivate var text: Substring { Substring(self) }
}
