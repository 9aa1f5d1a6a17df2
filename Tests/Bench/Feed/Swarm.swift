import CEpoll
import Glibc

/// Many subscribers of one feed, which the calling thread reads with epoll. The subscribers use little CPU time, so
/// that the figures show the feed.
final class Swarm<Stream: FeedStream> {
  /// Measure of a member's progress.
  enum Count {
    /// The sequence number in the message.
    case numbers
    /// The number of received messages.
    case messages
  }

  private let count: Count
  private let epoll: Int32
  private var sockets: [LoopbackSocket] = []
  private var streams: [Stream] = []
  private var reached: [UInt64] = []
  private var events = [epoll_event](repeating: epoll_event(), count: 512)
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 262_144, alignment: 16)
  var waves = Waves(members: 0, after: 0)
  /// Messages and bytes that all members have received in total.
  private(set) var messages = 0
  private(set) var bytes = 0

  init(counting count: Count) throws {
    self.count = count
    epoll = epoll_create1(0)
    guard epoll >= 0 else { throw BenchError("epoll_create1 failed: \(String(cString: strerror(errno)))") }
  }

  deinit {
    close(epoll)
    buffer.deallocate()
  }

  var members: Int { sockets.count }

  func add(_ socket: LoopbackSocket) throws {
    socket.makeNonBlocking()
    var event = epoll_event()
    event.events = EPOLLIN.rawValue
    event.data.u32 = UInt32(sockets.count)
    guard epoll_ctl(epoll, EPOLL_CTL_ADD, socket.descriptor, &event) == 0 else {
      throw BenchError("epoll_ctl failed: \(String(cString: strerror(errno)))")
    }
    sockets.append(socket)
    streams.append(Stream())
    reached.append(0)
  }

  /// Restarts the counts from 0 messages, or from the highest sequence number of a member.
  func reset() {
    if count == .messages { reached = reached.map { _ in 0 } }
    waves = Waves(members: members, after: count == .messages ? 0 : reached.max() ?? 0)
    (messages, bytes) = (0, 0)
  }

  /// Number of members with at least this sequence number or count of messages.
  func reaching(_ number: UInt64) -> Int { reached.count { $0 >= number } }

  /// Reads until `step` returns true. Calls `step` with the current time, at the start and after each advance of a
  /// member.
  func run(within time: Duration, awaiting event: String, step: (_ nowNs: UInt64) throws -> Bool) throws {
    let deadline = ContinuousClock.now + time
    while try !step(Waves.nowNs) {
      guard ContinuousClock.now < deadline else { throw BenchError("not within \(time): \(event)") }
      try read(waitMs: 1) { try _ = step($0) }
    }
  }

  /// Reads available bytes of all members. Waits up to `waitMs` milliseconds for the first bytes.
  func read(waitMs: Int32, then: (_ nowNs: UInt64) throws -> Void = { _ in }) throws {
    for event in 0..<Int(max(0, epoll_wait(epoll, &events, Int32(events.count), waitMs))) {
      let member = Int(events[event].data.u32)
      guard let length = try sockets[member].read(into: buffer) else { continue }
      guard length > 0 else { throw BenchError("the feed has closed a subscriber's connection") }
      let nowNs = Waves.nowNs
      let old = reached[member]
      var new = old
      let reply = try streams[member].receive(UnsafeRawBufferPointer(rebasing: buffer[..<length])) { number, size in
        new = count == .messages ? new + 1 : max(new, number)
        messages += 1
        bytes += size
      }
      if !reply.isEmpty { try sockets[member].write(reply) }
      guard new > old else { continue }
      reached[member] = new
      waves.reach(from: old, to: new, nowNs: nowNs)
      try then(nowNs)
    }
  }
}
