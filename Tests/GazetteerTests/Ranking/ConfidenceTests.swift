import Domain
import GazetteerFixtures
import Testing

@testable import Gazetteer

@Suite("Confidence")
struct ConfidenceTests {
  @Test(
    "No place has a higher confidence than the one before it",
    arguments: [
      "Hamilton HM 11", "Springfield", "Paris", "Salem, IN", "12 Oxford St, Cambridge, MA", "Georgia", "San Jose",
      "New York", "Luxembourg", "Birmingham, Ala.", "Saint-Étienne, Loire", "8000", "Victoria", "Valley 1010",
    ])
  func order(text: String) throws {
    let confidences = try World.index.get().locate(PlaceQuery(text, limit: 10)).map(\.confidence)
    #expect(confidences == confidences.sorted(by: >), "\(confidences)")
  }

  @Test(
    "A single word that names a small city or an airport has a low confidence",
    arguments: ["love", "work", "beer", "coffee", "peace", "MIT"])
  func words(text: String) throws {
    #expect(try World.first(text).map(\.confidence) ?? 0 <= 0.8)
  }

  @Test(
    "A well-known name, or a small city with its area or several words, has a high confidence",
    arguments: ["Reykjavik", "Bavaria", "Tuvalu", "Work, Scotland", "Lõve, Estonia", "Much Wenlock", "NYC"])
  func names(text: String) throws {
    #expect(try #require(try World.first(text)).confidence >= 0.9)
  }

  @Test(
    "A city of 4,095 inhabitants has full confidence by its name alone",
    arguments: [(4_094, 0.8), (4_095, 1), (4_096, 1)])
  func fullConfidence(population: Int, confidence: Double) throws {
    #expect(GazetteerLimits.coincidenceProminence == 20 * 256)
    let index = try Hamlet.index(of: [.city("Beetown", population)])
    #expect(index.locate(PlaceQuery("Beetown")).first?.confidence == confidence)
    #expect(index.locate(PlaceQuery("Beetown, Aland")).first?.confidence == 1)
  }
}
