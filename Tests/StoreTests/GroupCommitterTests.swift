import Dispatch
import Store
import Synchronization
import Testing

/// An engine that commits numbers. The commit of `first` blocks, and two numbers fail.
private final class ScriptedEngine: CommitEngine {
  enum Trouble: Error { case refused, stopped }

  static let first = 1
  static let refused = -1
  static let stopping = 0

  /// Yields when the commit of `first` has begun.
  let begun: AsyncStream<Void>
  private let hasBegun: AsyncStream<Void>.Continuation
  private let gate = DispatchSemaphore(value: 0)
  private let attempted = Mutex<[[Int]]>([])

  init() { (begun, hasBegun) = AsyncStream.makeStream() }

  /// The groups in the order of their commits.
  var groups: [[Int]] { attempted.withLock { $0 } }

  /// Unblocks the commit of `first`.
  func open() { gate.signal() }

  func commit(_ writes: [Int]) throws -> [String] {
    attempted.withLock { $0.append(writes) }
    if writes == [Self.first] {
      hasBegun.yield()
      gate.wait()
    }
    if writes.contains(Self.stopping) { throw Trouble.stopped }
    if writes.contains(Self.refused) { throw Trouble.refused }
    return writes.map { "\($0) is stored" }
  }

  func failure(of error: any Error) -> CommitFailure {
    if case Trouble.stopped = error {
      .stopped(.unknownOutcome("no result"), reason: "the disk is missing")
    } else {
      .refused(.noAccount)
    }
  }
}

@Suite("Group committer")
struct GroupCommitterTests {
  private let engine: ScriptedEngine
  private let committer: GroupCommitter<ScriptedEngine>

  init() {
    engine = ScriptedEngine()
    committer = GroupCommitter(engine)
  }

  private func submit(_ numbers: Int..., to results: Results) {
    for number in numbers {
      committer.submit(
        number,
        completion: CommitCompletion { result in
          switch result {
          case .success(let output): results.add(output)
          case .failure(let error): results.add("\(number): \(error)")
          }
        })
    }
  }

  /// Submits numbers during the commit of `first`. Returns all results in order.
  private func committed(_ numbers: Int...) async -> [String] {
    let results = Results()
    submit(ScriptedEngine.first, to: results)
    for await _ in engine.begun { break }
    for number in numbers { submit(number, to: results) }
    engine.open()
    committer.finish()
    return results.all
  }

  @Test("Writes during a commit form one group and complete in order")
  func group() async {
    #expect(await committed(2, 3, 4) == ["1 is stored", "2 is stored", "3 is stored", "4 is stored"])
    #expect(engine.groups == [[1], [2, 3, 4]])
  }

  @Test("A refused write fails alone, and the other writes of its group are committed one by one")
  func refused() async {
    let results = await committed(2, ScriptedEngine.refused, 3)
    #expect(results == ["1 is stored", "2 is stored", "-1: the account is deleted", "3 is stored"])
    #expect(engine.groups == [[1], [2, -1, 3], [2], [-1], [3]])
  }

  @Test("A fatal commit error fails its group, and the committer refuses later writes")
  func stopped() async {
    let results = await committed(2, ScriptedEngine.stopping, 3)
    let lost = "the write failed: no result"
    #expect(results == ["1 is stored", "2: \(lost)", "0: \(lost)", "3: \(lost)"])
    let laterResults = Results()
    submit(4, to: laterResults)
    committer.finish()
    #expect(laterResults.all == ["4: nothing is stored until the next start: the disk is missing"])
    #expect(engine.groups == [[1], [2, 0, 3]])
    #expect(!committer.end(), "The committer has already stopped.")
    var failures = 0
    for await _ in committer.failures { failures += 1 }
    #expect(failures == 1)
  }

  @Test("A committer that has ended refuses writes and still runs work between groups")
  func ended() {
    #expect(committer.end())
    let results = Results()
    submit(2, to: results)
    committer.betweenGroups { results.add("work") }
    committer.finish()
    #expect(Set(results.all) == ["2: nothing is stored until the next start: ingest is shutting down", "work"])
    #expect(engine.groups.isEmpty)
  }

  @Test("Work between groups runs once, after the earlier writes")
  func work() async {
    let results = Results()
    submit(ScriptedEngine.first, to: results)
    for await _ in engine.begun { break }
    submit(2, to: results)
    let seen = Results()
    committer.betweenGroups { [engine] in seen.add("\(engine.groups)") }
    engine.open()
    committer.finish()
    #expect(seen.all == ["[[1], [2]]"])
  }
}

/// Records texts in order. Any thread may add one.
private final class Results: Sendable {
  private let texts = Mutex<[String]>([])

  func add(_ text: String) { texts.withLock { $0.append(text) } }

  var all: [String] { texts.withLock { $0 } }
}
