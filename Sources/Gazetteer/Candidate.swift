/// A place that a query may mean.
struct Candidate {
  var place: UInt32
  /// The larger, the better; 1/256 of the place's rank.
  var score: Int
  /// Weight of the query's tokens that belong to the place or to what contains it, and of all tokens.
  var covered: Int
  var total: Int
  /// Nothing of the query is left over.
  var isWhole: Bool
  var population: UInt32

  static func precedes(_ a: Candidate, _ b: Candidate) -> Bool {
    if a.score != b.score { return a.score > b.score }
    if a.population != b.population { return a.population > b.population }
    return a.place < b.place
  }
}
