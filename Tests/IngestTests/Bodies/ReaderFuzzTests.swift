import FuzzTargets
import Fuzzing
import Testing

@Suite("Fuzzed requests")
struct ReaderFuzzTests {
  @Test("Every corpus input is refused, or read within the limits", arguments: FuzzTarget.allCases)
  func corpus(target: FuzzTarget) throws {
    let corpus = try target.corpus
    let accepted = try corpus.filter { try target.read($0) }
    #expect(accepted.count > corpus.count / 20, "\(accepted.count) of \(corpus.count)")
  }

  @Test("Mutated corpus inputs are refused or read within the limits", arguments: FuzzTarget.allCases)
  func changed(target: FuzzTarget) throws {
    let corpus = try target.corpus
    Fuzz.rounds(4_000) { random in try target.read(random.changed(random.one(of: corpus), with: corpus)) }
  }
}
