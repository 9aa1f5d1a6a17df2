import CEpoll
import Glibc

/// Many subscribers of one feed, all read by the calling thread, with epoll: they cost little, so that the feed is what
/// is measured.
final class Swarm<Stream: FeedStream> {
  /// What a member's progress is told by.
  enum Count {
    /// The list's number in the message.
    case numbers
    /// How many messages have come.
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
  /// Messages that all members have got together, and their bytes.
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
    socket.waitNoMore()
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

  /// Counts anew: messages from 0, or from the number that all members have.
  func reset() {
    if count == .messages { reached = reached.map { _ in 0 } }
    waves = Waves(members: members, after: count == .messages ? 0 : reached.max() ?? 0)
    (messages, bytes) = (0, 0)
  }

  /// How many members have got a message that says so, or so many of them.
  func reaching(_ number: UInt64) -> Int { reached.count { $0 >= number } }

  /// Reads until `step` says that it is done. `step` is called at the beginning, and after whatever has come.
  ///
  /// - Parameter nowNs: given to `step`.
  func run(within time: Duration, what: String, step: (_ nowNs: UInt64) throws -> Bool) throws {
    let deadline = ContinuousClock.now + time
    while try !step(Waves.nowNs) {
      guard ContinuousClock.now < deadline else { throw BenchError("not within \(time): \(what)") }
      try read(waitMs: 1) { try _ = step($0) }
    }
  }

  /// Reads what has come.
  func read(waitMs: Int32, then: (_ nowNs: UInt64) throws -> Void = { _ in }) throws {
    for event in 0..<Int(max(0, epoll_wait(epoll, &events, Int32(events.count), waitMs))) {
      let member = Int(events[event].data.u32)
      guard let length = try sockets[member].read(into: buffer) else { continue }
      guard length > 0 else { throw BenchError("the feed has closed a subscriber's connection") }
      let nowNs = Waves.nowNs
      let old = reached[member]
      var new = old
      let answer = try streams[member].take(UnsafeRawBufferPointer(rebasing: buffer[..<length])) { number, size in
        new = count == .messages ? new + 1 : max(new, number)
        messages += 1
        bytes += size
      }
      if !answer.isEmpty { try sockets[member].write(answer) }
      guard new > old else { continue }
      reached[member] = new
      waves.reach(from: old, to: new, nowNs: nowNs)
      try then(nowNs)
    }
  }
}
