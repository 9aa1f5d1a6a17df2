/// Behaviour of a job at workers. The first word of the query selects the behaviour.
enum PlaceBehaviour: String, CaseIterable {
  case found = "Oslo"
  case nowhere = "Nowhere"
  /// Fails at random before the calm.
  case flaky = "Flaky"
  /// Fails permanently.
  case broken = "Broken"
  /// Crashes the worker that starts the job.
  case poison = "Poison"
  /// Hangs the worker that starts the job, while the worker's heartbeats continue.
  case hanging = "Hanging"
  /// Fails at each attempt until the post is dead.
  case stubborn = "Stubborn"
  /// Takes longer than a lease that no heartbeat extends.
  case slow = "Slow"
  /// Needs a remote provider.
  case street = "Street"

  init?(of text: String) {
    guard let word = text.split(separator: " ").first else { return nil }
    self.init(rawValue: String(word))
  }
}
