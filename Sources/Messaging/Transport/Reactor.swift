import CZeroMQ
import Dispatch
import Domain
import Glibc
import Logging
import Synchronization

/// One end of a link: a socket and the rules for it. Lives on its reactor's thread from its making to its closing;
/// nothing in it may wait.
package protocol ReactorSocket: AnyObject {
  var socket: Socket { get }
  /// A message has come. `nowMs` is the reactor's clock: monotonic milliseconds.
  func receive(_ frames: [[UInt8]], nowMs: Int64)
  /// After messages and commands, and at the time it asked for: does what is due and returns when it wants to be called
  /// next.
  func tick(nowMs: Int64) -> Int64
  /// Says goodbye, before the socket is closed. Nothing but messages comes after it.
  func shutDown()
  /// Whether the socket may be closed. Where it never comes true, it is closed after `Limits.goodbyeTimeoutMs`.
  var isShutDown: Bool { get }
}

extension ReactorSocket {
  /// Where nobody answers.
  package var isShutDown: Bool { true }
}

/// The one thread that touches ZeroMQ sockets: it polls them and a wake-up descriptor, hands messages and commands to
/// the stations, and sleeps until the next of their times.
package final class Reactor: Sendable {
  /// Makes sockets, on the reactor's thread, and closes all of them in the end: libzmq waits for the last one.
  package final class Context {
    private let handle: UnsafeMutableRawPointer
    private let ioThreads: Int32
    private var sockets: [Socket] = []
    /// What the sockets need beside their own stations.
    fileprivate private(set) var auxiliarySockets: [any ReactorSocket] = []
    /// Who says which peers may come in; nil while no link uses keys.
    var authenticator: Authenticator?

    fileprivate init(ioThreads: Int32) throws(LinkError) {
      guard let handle = zmq_ctx_new() else { throw .socket(reason: LinkError.lastReason) }
      self.handle = handle
      self.ioThreads = ioThreads
      zmq_ctx_set(handle, ZMQ_IO_THREADS, ioThreads)
    }

    /// Makes a socket. A frame from outside that is longer than `frameBytesMax` ends its connection.
    package func socket(_ kind: Socket.Kind, frameBytesMax: Int) throws(LinkError) -> Socket {
      // A bit for each thread: the second, where there is one, is the publisher's.
      let threads: UInt64 = ioThreads == 1 ? 0 : kind == .xpub ? 2 : 1
      let socket = try Socket(
        kind, context: handle, number: sockets.count, frameBytesMax: frameBytesMax, threads: threads)
      sockets.append(socket)
      return socket
    }

    /// Adds a station that goes with a socket.
    package func add(_ attendant: any ReactorSocket) { auxiliarySockets.append(attendant) }

    fileprivate func close() {
      for socket in sockets { socket.stopMonitoring() }
      // Who answers for the others goes last.
      for socket in sockets.reversed() { socket.close() }
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

  /// Starts the thread, makes the stations on it, and returns what they have to tell (their addresses, say).
  ///
  /// - Parameters:
  ///   - name: of the thread, at most 15 bytes.
  ///   - wake: what the stations' inboxes signal.
  ///   - ioThreads: of libzmq, 1 or 2. With two a publisher has one for itself, so that what it writes to a thousand
  ///     subscribers does not hold up the other sockets.
  ///   - make: runs on the new thread; what it throws is thrown here.
  package static func start<Told: Sendable>(
    _ name: String, wake: WakeupEvent, ioThreads: Int32 = 1,
    make: @escaping @Sendable (Context) throws -> (stations: [any ReactorSocket], told: Told)
  ) throws -> (reactor: Reactor, told: Told) {
    let reactor = Reactor(name: name, wake: wake)
    let (started, isStarted) = (OneShot<Result<Told, any Error>>(), DispatchSemaphore(value: 0))
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
    precondition(failure == 0, "A thread cannot be made: the process is at its limit of threads.")
    reactor.thread.withLock { [id] thread in thread = Thread(id: id) }
    isStarted.wait()
    do {
      guard let result = started.now else { throw LinkError.socket(reason: "its thread did not start") }
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

  /// Lets the stations say goodbye, closes their sockets and ends the thread. Waits for it, a second at most when
  /// peers are gone.
  package func stop() {
    isStopping.withLock { $0 = true }
    wake.signal()
    let thread = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    if let thread { pthread_join(thread.id, nil) }
  }

  private func run<Told: Sendable>(
    ioThreads: Int32, make: (Context) throws -> (stations: [any ReactorSocket], told: Told),
    started: (Result<Told, any Error>) -> Void
  ) {
    otm_name_thread(name)
    do {
      let context = try Context(ioThreads: ioThreads)
      defer { context.close() }
      let made = try make(context)
      started(.success(made.told))
      loop(made.stations + context.auxiliarySockets)
      shutDown(made.stations)
    } catch {
      started(.failure(error))
    }
  }

  private func loop(_ stations: [any ReactorSocket]) {
    var items = stations.map { zmq_pollitem_t(socket: $0.socket.handle, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0) }
    items.append(zmq_pollitem_t(socket: nil, fd: wake.descriptor, events: Int16(ZMQ_POLLIN), revents: 0))
    var nextMs = Reactor.nowMs
    var turnMs = nextMs
    while !isStopping.withLock({ $0 }) {
      // A station that has reconnected has a new socket.
      for (index, station) in stations.enumerated() { items[index].socket = station.socket.handle }
      zmq_poll(&items, Int32(items.count), Int(max(0, min(nextMs - Reactor.nowMs, Limits.reactorWaitMs))))
      // In a flood those go first who have more for this turn: fewer turns, longer frames. Otherwise it would only let
      // strangers take the processor, who give it back much later.
      if Reactor.nowMs == turnMs { for _ in 0..<Limits.reactorYields { sched_yield() } }
      if items[stations.count].revents != 0 { wake.clear() }
      let nowMs = Reactor.nowMs
      turnMs = nowMs
      nextMs = nowMs + Limits.reactorWaitMs
      for (index, station) in stations.enumerated() {
        if items[index].revents != 0 {
          for _ in 0..<Limits.framesPerTick {
            guard let frames = station.socket.receive() else { break }
            station.receive(frames, nowMs: nowMs)
          }
        }
        nextMs = min(nextMs, station.tick(nowMs: nowMs))
      }
    }
  }

  private func shutDown(_ stations: [any ReactorSocket]) {
    for station in stations { station.shutDown() }
    let endMs = Reactor.nowMs + Limits.goodbyeTimeoutMs
    for station in stations {
      while !station.isShutDown, Reactor.nowMs < endMs {
        var item = zmq_pollitem_t(socket: station.socket.handle, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0)
        zmq_poll(&item, 1, Int(max(0, endMs - Reactor.nowMs)))
        while let frames = station.socket.receive() { station.receive(frames, nowMs: Reactor.nowMs) }
      }
    }
  }

  /// Milliseconds of a clock that never goes back.
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
