import Domain

extension Limits {
  /// Tolerance for a message that was on its way when the message that it should have obeyed was sent, in milliseconds.
  static let crossingMs: Int64 = 500
  /// Pause between two ticks of a run, in milliseconds: changes at a busy feed come as often.
  static let runTickMs: Int64 = 20
}
