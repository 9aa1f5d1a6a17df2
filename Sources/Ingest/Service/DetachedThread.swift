import Glibc

/// Starts a detached thread.
///
/// - Returns: False if the process or the machine has too many threads. `body` does not run then. Foundation's `Thread`
///   does not report this failure.
func detachThread(_ body: @escaping @Sendable () -> Void) -> Bool {
  let context = Unmanaged.passRetained(DetachedThread(body))
  var id = pthread_t()
  let failure = pthread_create(
    &id, nil,
    { context in
      guard let context else { return nil }
      Unmanaged<DetachedThread>.fromOpaque(context).takeRetainedValue().body()
      return nil
    }, context.toOpaque())
  guard failure == 0 else {
    context.release()
    return false
  }
  pthread_detach(id)
  return true
}

private final class DetachedThread: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}
