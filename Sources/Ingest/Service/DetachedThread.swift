import Glibc

/// Begins a thread whose end nobody waits for.
///
/// - Returns: false where the process or the machine has as many as it may: `body` does not run then. Foundation's
///   threads do not tell.
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
