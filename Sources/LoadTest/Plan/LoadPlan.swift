import Domain

/// What a run sends and when: post i is due at start + i / rate, whatever became of the posts before it. Pure: the same
/// plan says the same for ever.
package struct LoadPlan: Sendable {
  /// Posts in a second.
  let rate: Int
  /// How long posts become due.
  let seconds: Int
  /// 8 hexadecimal digits that no other run has: what is found with them was sent by this run.
  let run: String
  let seed: UInt64
  let places: PlaceTexts

  /// - Parameters:
  ///   - rate: posts in a second.
  ///   - seconds: how long posts become due.
  ///   - run: 8 hexadecimal digits that no other run has.
  ///   - seed: repeats the places of a run.
  package init(rate: Int, seconds: Int, run: String, seed: UInt64, places: PlaceTexts) {
    (self.rate, self.seconds, self.run, self.seed, self.places) = (rate, seconds, run, seed, places)
  }

  /// Posts in all.
  var count: Int { rate * seconds }

  /// When a post is due, in nanoseconds from the start.
  func dueNs(_ post: Int) -> Int64 {
    Int64(post / rate) * 1_000_000_000 + Int64(post % rate) * 1_000_000_000 / Int64(rate)
  }

  /// The prefix of all links of the run.
  var linkPrefix: String { "https://load.invalid/\(run)/" }

  func link(_ post: Int) -> String { linkPrefix + String(post) }

  /// The post that a link belongs to; nil for other people's.
  func post(_ link: String) -> Int? {
    guard link.utf8.starts(with: linkPrefix.utf8), let post = Int(link.utf8.dropFirst(linkPrefix.utf8.count).text),
      (0..<count).contains(post)
    else { return nil }
    return post
  }

  /// The same at every attempt, so that a post which was stored before its answer got lost is not stored twice.
  func idempotencyKey(_ post: Int) -> String { "\(run)-\(post)" }

  /// Where it says it is.
  func place(_ post: Int) -> String { places.text(random: SplitMix64.value(seed: seed, at: UInt64(post))) }

  /// The request's body.
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
