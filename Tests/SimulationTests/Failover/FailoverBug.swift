import Testing

/// A plausible bug of the replicated store, injected to prove that the simulation finds it.
enum FailoverBug: String, CaseIterable, CustomTestStringConvertible {
  /// The database commits writes of a term that is over.
  case ignoresFence
  /// The leader repeats a commit with unknown outcome under another number, so that it does not find its own rows.
  case repeatsUnderNewNumber
  /// Neither a reconnected leader nor a new one compares the database with the numbers that it has seen.
  case skipsHistoryCheck
  /// A standby takes over as soon as it reads the same beat twice.
  case takesOverEarly

  var testDescription: String { rawValue }
}
