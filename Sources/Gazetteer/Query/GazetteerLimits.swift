/// Limits of the gazetteer, with their reasons.
package enum GazetteerLimits {
  /// Maximum length of a query in bytes of UTF-8. The longest postal addresses are near 150 characters, and other
  /// geocoders stop at 200.
  package static let queryBytes = 256
  /// Maximum number of a query's tokens. A set of tokens is a 64-bit mask. The longest public test address has 24.
  package static let queryTokens = 48
  /// Maximum number of tokens in a name. "South Georgia and the South Sandwich Islands" has 7.
  package static let nameTokens = 8
  /// Maximum number of names found in one query. A set of names is a 128-bit mask. If every sequence of up to 8 among
  /// 48 tokens were a name, a query would have 356 names. Real addresses have fewer than 40.
  static let matches = 128
  /// Maximum number of names in the first search for a query of one or two words. Two words form at most three names,
  /// and a run of Han or kana may have more. If a query reaches this maximum, it starts again with `matches`.
  static let exactMatches = 20
  /// Maximum length, in folded bytes, of a name whose direction the text abbreviates: "N Korea".
  static let directedBytes = 64
  /// Maximum length, in bytes, of a name that counts as a code.
  static let codeBytes = 2
  /// Number of candidates kept beyond the wanted results. They lower the confidence of results as rivals, and replace
  /// duplicates.
  static let rivals = 12
  /// Maximum length of a name within a run of Han or kana, in bytes: eight characters.
  static let runBytes = 24
  /// Minimum length of a name within a run of Han or kana, in bytes: two characters. Single characters are parts of
  /// words.
  static let shortestRunBytes = 6
  /// Maximum number of places of one name that a query reads. The most frequent name, "Santa Maria", has about 150, and
  /// more in a dump of all GeoNames features.
  static let postingsPerName = 1024
  /// Maximum number of areas of one name that may contain a place. "Washington County" has 30.
  static let areasPerName = 64
  /// Maximum number of cities of one name that a query compares with a code's region, the largest first.
  static let citiesPerCode = 64
  /// Minimum population of a metropolis. No county counts as its context, because a metropolis may contain counties.
  static let metropolis: UInt32 = 1_000_000
  /// Minimum population of a large city, which may be the context of its quarters and suburbs.
  static let largeCityPopulation: UInt32 = 100_000
  /// Maximum number of postings that one query reads. It bounds the time of a query of frequent names.
  static let postingsPerQuery = 4096

  /// Minimum length of a fuzzy name, in characters. Shorter names are one edit away from too many others.
  static let fuzzyCharactersMin = 5
  /// Greatest length of a fuzzy name, in characters.
  static let fuzzyCharactersMax = 48
  /// Maximum number of tokens that fuzzy search combines into one name.
  static let fuzzyTokens = 6
  /// Maximum number of tokens that fuzzy search combines into one name within an address.
  static let addressFuzzyTokens = 2
  /// Minimum population of a place whose alternate names are in the fuzzy index, in addition to its own name.
  static let fuzzyPopulationMin: UInt32 = 15_000
  /// Minimum population of a place that is accepted without a fuzzy search for similar names.
  static let certainPopulation: UInt32 = 1_000
  /// Minimum share of a text's weight, in percent, that a place without other evidence must cover.
  static let coverageMinPercent = 35
  /// Minimum rank of a place without other evidence: that of a city with 4,095 inhabitants.
  static let prominenceMin = 20 * 256
  /// Minimum share of an address's weight, in percent, that a place without other evidence must cover.
  static let addressCoverageMinPercent = 10
  /// Minimum rank of a place without other evidence in an address: that of a city with 1,023 inhabitants.
  static let addressProminenceMin = 18 * 256
  /// Minimum rank of a place whose name is the last words of the text: that of a city with 65,535 inhabitants.
  static let lastProminenceMin = 24 * 256
  /// Rank below which the match of a single word may be a coincidence: that of a city with 4,095 inhabitants.
  static let coincidenceProminence = 20 * 256
  /// Maximum number of names that fuzzy search compares with the words of one query.
  static let comparisonsPerQuery = 1_024

  /// Maximum number of postcodes found in one query. An address has one, and other numbers that look like postcodes.
  static let postcodesPerQuery = 8
  /// Minimum number of digits of a code that is also found without its country's letters.
  package static let postcodeDigitsMin = 3
  /// Maximum distance between a postcode and the city written with it, in kilometres.
  static let postcodeKm = 40.0
  /// Maximum distance, in kilometres, between a postcode and its city in a result that has the postcode's point. Beyond
  /// this distance, the result has the city's point.
  static let postcodePointKm = 15.0
  /// Minimum number of letters and digits of a code that is accepted alone.
  static let postcodeLengthMin = 4
  /// Minimum number of letters and digits of a code that contains a letter and is the whole text.
  static let letteredPostcodeLengthMin = 3
  /// Maximum distance between the point of a reverse query and its results, in kilometres. A point farther out at sea
  /// has no results.
  static let nearbyKm = 100.0
  /// Maximum number of names that a prefix search returns.
  static let completions = 16
  /// Number of postings that a prefix search reads for a name's rank.
  static let completionPostings = 8
}
