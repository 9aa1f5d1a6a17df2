/// Behaviour of a job at workers. The first word of its query selects it.
enum PlaceBehaviour: String, CaseIterable {
  case found = "Oslo"
  case nowhere = "Nowhere"
  /// Fails at random before the calm.
  case flaky = "Flaky"
  /// Fails permanently.
  case broken = "Broken"
  /// Crashes the worker that starts it.
  case poison = "Poison"
  /// Hangs the worker that starts it, while its heartbeats continue.
  case hanging = "Hanging"
  /// Fails at each attempt until it is dead.
  case stubborn = "Stubborn"
  /// Takes longer than a lease lasts without extension.
  case slow = "Slow"
  /// Needs a remote provider.
  case street = "Street"

  init?(of text: String) {
    guard let word = text.split(separator: " ").first else { return nil }
    self.init(rawValue: String(word))
  }
}
