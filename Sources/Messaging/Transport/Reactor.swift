import CZeroMQ
import Dispatch
import Domain
import Glibc
import Logging
import Synchronization

/// An end of a link: a ZeroMQ socket with its rules. It is created, used and closed on its reactor's thread, so no
/// method may block.
package protocol ReactorSocket: AnyObject {
  var socket: Socket { get }
  /// Handles a message. `nowMs` is the reactor's clock, in monotonic milliseconds.
  func receive(_ frames: [[UInt8]], nowMs: Int64)
  /// Does the work that is due, and returns the time of the next call, in milliseconds. The reactor calls it after
  /// messages and commands, and at the returned time.
  func tick(nowMs: Int64) -> Int64
  /// Sends the goodbye before the socket closes. Afterwards the reactor calls only `receive`.
  func shutDown()
  /// True when the socket may close. The reactor closes it in any case after `Limits.goodbyeTimeoutMs`.
  var isShutDown: Bool { get }
}

extension ReactorSocket {
  /// True by default, because a socket waits for no reply to its goodbye.
  package var isShutDown: Bool { true }
}

/// The only thread that touches ZeroMQ sockets. It polls them and a wake-up descriptor, passes on messages and
/// commands, and sleeps until the next tick is due.
package final class Reactor: Sendable {
  /// libzmq's context. It creates sockets on the reactor's thread and closes all of them at the end, because libzmq
  /// waits for the last one.
  package final class Context {
    private let handle: UnsafeMutableRawPointer
    private let ioThreads: Int32
    private var sockets: [Socket] = []
    /// Sockets that other sockets need, such as monitors.
    fileprivate private(set) var auxiliarySockets: [any ReactorSocket] = []
    /// The authorization of peers. Nil while no link uses keys.
    var authenticator: Authenticator?

    fileprivate init(ioThreads: Int32) throws(LinkError) {
      guard let handle = zmq_ctx_new() else { throw .socket(reason: LinkError.lastReason) }
      self.handle = handle
      self.ioThreads = ioThreads
      zmq_ctx_set(handle, ZMQ_IO_THREADS, ioThreads)
    }

    /// Creates a socket. A received frame that is longer than `frameBytesMax` ends its connection.
    package func socket(_ kind: Socket.Kind, frameBytesMax: Int) throws(LinkError) -> Socket {
      // A bit for each thread. The second thread, if there is one, serves only the publisher.
      let threads: UInt64 = ioThreads == 1 ? 0 : kind == .xpub ? 2 : 1
      let socket = try Socket(
        kind, context: handle, number: sockets.count, frameBytesMax: frameBytesMax, threads: threads)
      sockets.append(socket)
      return socket
    }

    /// Adds a socket that another socket needs. The reactor runs it too.
    package func add(_ socket: any ReactorSocket) { auxiliarySockets.append(socket) }

    fileprivate func close() {
      for socket in sockets { socket.stopMonitoring() }
      for socket in sockets where socket !== authenticator?.socket { socket.close() }
      authenticator?.socket.close()
      zmq_ctx_term(handle)
    }
  }

  private struct Thread: @unchecked Sendable {
    var id: pthread_t
  }

  private let wake: WakeupEvent
  private let isStopping = Mutex(false)
  private let thread: Mutex<Thread?>
  private let name: String

  /// Starts the thread, creates the sockets on it, and returns the result of `make`, such as their addresses.
  ///
  /// - Parameters:
  ///   - name: Name of the thread, at most 15 bytes.
  ///   - wake: Event that the sockets' command queues signal.
  ///   - ioThreads: Number of libzmq's threads, 1 or 2. With 2, a publisher has its own thread. Writes to a thousand
  ///     subscribers then delay no other socket.
  ///   - make: Function that creates the sockets on the new thread. Its error is thrown here.
  package static func start<Value: Sendable>(
    _ name: String, wake: WakeupEvent, ioThreads: Int32 = 1,
    make: @escaping @Sendable (Context) throws -> (sockets: [any ReactorSocket], value: Value)
  ) throws -> (reactor: Reactor, value: Value) {
    let reactor = Reactor(name: name, wake: wake)
    let (started, isStarted) = (OneShot<Result<Value, any Error>>(), DispatchSemaphore(value: 0))
    let body = Body {
      reactor.run(ioThreads: ioThreads, make: make) {
        started.set($0)
        isStarted.signal()
      }
    }
    var id = pthread_t()
    let failure = pthread_create(
      &id, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, Unmanaged.passRetained(body).toOpaque())
    precondition(failure == 0, "Cannot create a thread: the process is at its limit of threads.")
    reactor.thread.withLock { [id] thread in thread = Thread(id: id) }
    isStarted.wait()
    do {
      guard let result = started.now else { throw LinkError.socket(reason: "the reactor's thread did not start") }
      return (reactor, try result.get())
    } catch {
      reactor.stop()
      throw error
    }
  }

  private init(name: String, wake: WakeupEvent) {
    self.name = name
    self.wake = wake
    thread = Mutex(nil)
  }

  /// Shuts the sockets down, closes them and ends the thread. Blocks until the thread has ended. If peers have
  /// disconnected, this takes at most a second.
  package func stop() {
    isStopping.withLock { $0 = true }
    wake.signal()
    let thread = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    if let thread { pthread_join(thread.id, nil) }
  }

  private func run<Value: Sendable>(
    ioThreads: Int32, make: (Context) throws -> (sockets: [any ReactorSocket], value: Value),
    started: (Result<Value, any Error>) -> Void
  ) {
    otm_name_thread(name)
    do {
      let context = try Context(ioThreads: ioThreads)
      defer { context.close() }
      let created = try make(context)
      started(.success(created.value))
      loop(created.sockets + context.auxiliarySockets)
      shutDown(created.sockets)
    } catch {
      started(.failure(error))
    }
  }

  private func loop(_ sockets: [any ReactorSocket]) {
    var items = sockets.map { zmq_pollitem_t(socket: $0.socket.handle, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0) }
    items.append(zmq_pollitem_t(socket: nil, fd: wake.descriptor, events: Int16(ZMQ_POLLIN), revents: 0))
    var nextMs = Reactor.nowMs
    var iterationMs = nextMs
    while !isStopping.withLock({ $0 }) {
      // A reconnect replaces libzmq's socket.
      for (index, socket) in sockets.enumerated() { items[index].socket = socket.socket.handle }
      zmq_poll(&items, Int32(items.count), Int(max(0, min(nextMs - Reactor.nowMs, Limits.reactorWaitMs))))
      // Under load, yield so that producers can add to this batch. The loop then has fewer iterations and longer
      // frames. At lower load a yield would only give the processor to unrelated threads, which return it much later.
      if Reactor.nowMs == iterationMs { for _ in 0..<Limits.reactorYields { sched_yield() } }
      if items[sockets.count].revents != 0 { wake.clear() }
      let nowMs = Reactor.nowMs
      iterationMs = nowMs
      nextMs = nowMs + Limits.reactorWaitMs
      for (index, socket) in sockets.enumerated() {
        if items[index].revents != 0 {
          for _ in 0..<Limits.framesPerTick {
            guard let frames = socket.socket.receive() else { break }
            socket.receive(frames, nowMs: nowMs)
          }
        }
        nextMs = min(nextMs, socket.tick(nowMs: nowMs))
      }
    }
  }

  private func shutDown(_ sockets: [any ReactorSocket]) {
    for socket in sockets { socket.shutDown() }
    let endMs = Reactor.nowMs + Limits.goodbyeTimeoutMs
    for socket in sockets {
      while !socket.isShutDown, Reactor.nowMs < endMs {
        var item = zmq_pollitem_t(socket: socket.socket.handle, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0)
        zmq_poll(&item, 1, Int(max(0, endMs - Reactor.nowMs)))
        while let frames = socket.socket.receive() { socket.receive(frames, nowMs: Reactor.nowMs) }
      }
    }
  }

  /// Time in milliseconds, from a monotonic clock.
  package static var nowMs: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}

private final class Body: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
