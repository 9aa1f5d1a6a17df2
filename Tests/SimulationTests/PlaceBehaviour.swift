/// How a job fares with workers; the first word of its text tells.
enum PlaceBehaviour: String, CaseIterable {
  case found = "Oslo"
  case nowhere = "Nowhere"
  /// Fails now and then, while there is trouble.
  case flaky = "Flaky"
  /// Fails for good.
  case broken = "Broken"
  /// Ends the worker that begins on it.
  case poison = "Poison"
  /// The worker that begins on it does nothing more, and its heart beats.
  case hanging = "Hanging"
  /// Fails again and again, until it is given up.
  case stubborn = "Stubborn"
  /// Takes its worker longer than a lease lasts that nobody extends.
  case slow = "Slow"
  /// Only a remote provider knows it.
  case street = "Street"

  init?(of text: String) {
    guard let word = text.split(separator: " ").first else { return nil }
    self.init(rawValue: String(word))
  }
}
