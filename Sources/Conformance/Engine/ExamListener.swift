/// What an examiner tells; on the reactor's thread, and nobody there may wait.
package struct ExamListener: Sendable {
  /// Who is examined has come, of that name.
  package let came: @Sendable (String) -> Void
  /// The examined process is to get SIGTERM; its end comes through the inbox.
  package let terminate: @Sendable () -> Void
  /// The exam is over.
  package let finished: @Sendable (ConformanceReport) -> Void

  package init(
    came: @escaping @Sendable (String) -> Void, terminate: @escaping @Sendable () -> Void,
    finished: @escaping @Sendable (ConformanceReport) -> Void
  ) {
    self.came = came
    self.terminate = terminate
    self.finished = finished
  }
}

/// What becomes of a process that is examined, where it is a child of this one.
package enum ExamineeNews: Sendable {
  /// A list that it has told on its output.
  case shown(PrintedList)
  /// It has ended: the exit code, or the signal's number, negative.
  case ended(Int32)
}
