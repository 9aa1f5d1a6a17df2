import Conformance
import Domain
import Glibc
import Messaging
import ServiceLifecycle
import Synchronization

/// One exam, from the socket to the verdicts. Ends what it started.
final class ConformService: Service {
  /// What an exam needs.
  struct Room {
    let inbox: Inbox<ExamineeNews>
    let listener: ExamListener
    /// Whether the program is a child of this one.
    let hasProcess: Bool
  }

  /// The examiner's address, by the name that it has in the program's arguments.
  typealias Place = (name: String, endpoint: Endpoint)

  private let program: [String]
  private let tellsLists: Bool
  private let make: @Sendable (Reactor.Context, Room) throws -> (stations: [any Station], place: Place)
  private let result = Mutex<ConformanceReport?>(nil)

  /// - Parameters:
  ///   - program: that is examined, with its arguments; empty where somebody else starts it.
  ///   - tellsLists: whether lines of its standard output may tell what list it has.
  ///   - make: the examiner, on the reactor's thread.
  init(
    program: [String], tellsLists: Bool,
    make: @escaping @Sendable (Reactor.Context, Room) throws -> (stations: [any Station], place: Place)
  ) {
    self.program = program
    self.tellsLists = tellsLists
    self.make = make
  }

  /// Nil before the end, and where it was ended early.
  var conformance: ConformanceReport? { result.withLock { $0 } }

  func run() async throws {
    let (finished, wake, terminated) = (OneShot<ConformanceReport>(), Wake(), OneShot<Void>())
    let inbox = Inbox<ExamineeNews>(wake)
    let listener = ExamListener(
      came: { complain("examining \($0.safeLine(bytesMax: 64))") }, terminate: { terminated.set(()) },
      finished: { finished.set($0) })
    let room = Room(inbox: inbox, listener: listener, hasProcess: !program.isEmpty)
    let (reactor, place) = try Reactor.start("conform", wake: wake) { [make] context in
      let made = try make(context, room)
      return (made.stations, made.place)
    }
    defer { reactor.stop() }
    let address = place.endpoint.connectable.description
    complain("listening \(place.name)=\(address)")
    let output = try ChildOutput()
    let command = program.map { $0.replacing("{\(place.name)}", with: address) }
    let process = try program.isEmpty ? nil : ChildProcess(command, output: tellsLists ? output.writer : STDERR_FILENO)
    let conformance = try? await cancelWhenGracefulShutdown {
      try await withThrowingTaskGroup(of: Void.self) { group in
        if let process {
          group.addTask { inbox.put(.ended(try await process.exit)) }
          group.addTask {
            try await terminated.value
            process.terminate()
          }
          group.addTask { try await output.read { ConformService.take($0, inbox) } }
        }
        defer { group.cancelAll() }
        return try await finished.value
      }
    }
    await process?.end()
    result.withLock { $0 = conformance }
  }

  /// What tells no list goes to standard error.
  private static func take(_ line: Substring, _ inbox: Inbox<ExamineeNews>) {
    if let shown = ShownList.read(line) { inbox.put(.shown(shown)) } else { complain(String(line)) }
  }
}
