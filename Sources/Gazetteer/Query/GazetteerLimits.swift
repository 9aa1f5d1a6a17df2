/// Limits of the gazetteer, with their reasons.
package enum GazetteerLimits {
  /// Maximum length of a query in bytes of UTF-8. The longest postal addresses are near 150 characters, and other
  /// geocoders stop at 200.
  package static let queryBytes = 256
  /// Maximum number of a query's tokens. A set of tokens is a 64-bit mask; the longest public test address has 24.
  package static let queryTokens = 48
  /// Maximum number of tokens in a name. "South Georgia and the South Sandwich Islands" has 7.
  package static let nameTokens = 8
  /// Maximum number of names found in one query. A set of names has one bit for each. 48 tokens in which every n-gram
  /// is a name would yield 356; real addresses yield below 40.
  static let matches = 128
  /// Maximum number of names in a query of one or two words: three, and some in each run of Han or kana.
  static let exactMatches = 20
  /// Maximum length, in folded bytes, of a name that begins with an abbreviated direction: "Northern Mariana Islands".
  static let directedBytes = 64
  /// Maximum length of a name that counts as short as a region's code, in bytes.
  static let codeBytes = 2
  /// Number of candidates kept beyond the wanted results. They are rivals for the estimate of confidence, and replace
  /// duplicates.
  static let rivals = 12
  /// Maximum length of a name within a run of Han or kana, in bytes: eight characters.
  static let runBytes = 24
  /// Minimum length of such a name, in bytes: two characters, since single ones are parts of words.
  static let shortestRunBytes = 6
  /// Maximum number of places of one name that a query reads. The most frequent name, "Santa Maria", has some 150, and
  /// more in a dump of all GeoNames features.
  static let postingsPerName = 1024
  /// Maximum number of areas of one name that may contain a place. "Washington County" has 30.
  static let areasPerName = 64
  /// Number of towns of one name, the largest ones, that are checked against a code's region.
  static let townsPerCode = 64
  /// Least population of a metropolis. If the data names no county for it, it is not assumed to lie in a near one.
  static let metropolis: UInt32 = 1_000_000
  /// Least population of a city that may be the context of its quarters and suburbs.
  static let cityPopulation: UInt32 = 100_000
  /// Maximum number of postings that one query reads. Bounds the time of a query of frequent names.
  static let postingsPerQuery = 4096

  /// Least length of a fuzzy name, in characters. Shorter names are one edit away from too many others.
  static let fuzzyCharactersMin = 5
  /// Greatest length of a fuzzy name, in characters.
  static let fuzzyCharactersMax = 48
  /// Maximum number of tokens that fuzzy search combines into one name.
  static let fuzzyTokens = 6
  /// The same maximum within an address.
  static let addressFuzzyTokens = 2
  /// Least population of a place whose alternate names are in the fuzzy index, beside its own name.
  static let fuzzyPopulationMin: UInt32 = 15_000
  /// Least population of a place that is accepted without a fuzzy search for similar names.
  static let certainPopulation: UInt32 = 1_000
  /// Least share of the text, in percent, that a place without other evidence must cover.
  static let coverageMinPercent = 35
  /// Least rank of such a place: that of a town with 4,095 inhabitants.
  static let prominenceMin = 20 * 256
  /// Least share of an address, in percent, that such a place must cover.
  static let addressCoverageMinPercent = 10
  /// Least rank of such a place in an address: that of a town with 1,023 inhabitants.
  static let addressProminenceMin = 18 * 256
  /// Least rank of a place whose name is the last words of the text: that of a town with 65,535 inhabitants.
  static let lastProminenceMin = 24 * 256
  /// Rank below which the equality of a name and a word may be a coincidence: that of a town with 4,095 inhabitants.
  static let chanceProminence = 20 * 256
  /// Maximum number of names that one query compares edit by edit.
  static let comparisonsPerQuery = 1_024

  /// Maximum number of postcodes in one query. An address has one, and numbers that look like some.
  static let postcodesPerQuery = 8
  /// Least number of digits of a code that is also found without its country's letters.
  package static let postcodeDigitsMin = 3
  /// Maximum distance between a postcode and the town written with it, in kilometres.
  static let postcodeKm = 40.0
  /// Maximum distance between a postcode and its town, in kilometres, at which the result has the postcode's point.
  static let postcodePointKm = 15.0
  /// Least number of letters and digits of a code that is accepted alone.
  static let postcodeLengthMin = 4
  /// The same minimum for a code with a letter that is the whole text.
  static let letteredPostcodeLengthMin = 3
  /// Maximum distance between a point and its nearest place, in kilometres. Farther out at sea there is none.
  static let nearbyKm = 100.0
  /// Maximum number of names that a prefix search returns.
  static let completions = 16
  /// Number of postings that a prefix search reads for a name's rank.
  static let completionPostings = 8
}
