import FuzzTargets
import Fuzzing
import Testing

@Suite("Requests that nobody has meant")
struct ReaderFuzzTests {
  @Test("Every input of the corpus is refused, or read as it must be", arguments: FuzzTarget.allCases)
  func corpus(target: FuzzTarget) throws {
    let corpus = try target.corpus
    let taken = try corpus.filter { try target.read($0) }
    #expect(taken.count > corpus.count / 20, "\(taken.count) of \(corpus.count)")
  }

  @Test("So is whatever becomes of them", arguments: FuzzTarget.allCases)
  func changed(target: FuzzTarget) throws {
    let corpus = try target.corpus
    Fuzz.rounds(4_000) { random in try target.read(random.changed(random.one(of: corpus), with: corpus)) }
  }
}
