/// Every bound of the gazetteer, with what it follows from.
package enum GazetteerLimits {
  /// Bytes of UTF-8 in a query: the longest postal addresses are near 150 characters, and other geocoders stop at 200.
  package static let queryBytes = 256
  /// Tokens of a query that are looked at. A set of tokens is a 64-bit mask; the longest public test address has 24.
  package static let queryTokens = 48
  /// Tokens in the longest name that is looked up: "South Georgia and the South Sandwich Islands" has 7.
  package static let nameTokens = 8
  /// Names found in one query, one bit each in a set of them. 48 tokens in which every n-gram is a name would give 356;
  /// real addresses give below 40.
  static let matches = 128
  /// Names found in a query of one or two words as they are typed: three, and some in each run of Han or kana.
  static let exactMatches = 20
  /// Folded bytes of a name that begins with a direction, which is written as one letter: "Northern Mariana Islands".
  static let directedBytes = 64
  /// Bytes of a name that is as short as a region's code.
  static let codeBytes = 2
  /// Candidates that are kept beside the answers: rivals, by which it is told how sure the answers are, and those that
  /// come up where a place is told already.
  static let rivals = 12
  /// Bytes of the longest name that is looked for within a run of Han or kana: eight characters.
  static let runBytes = 24
  /// Bytes of the shortest: two characters, since single ones are parts of words.
  static let shortestRunBytes = 6
  /// Places of one name that are looked at. The most frequent name, "Santa Maria", has some 150, and more in a dump of
  /// all that GeoNames knows.
  static let postingsPerName = 1024
  /// Areas of one name that can enclose a place, "Washington County" having 30.
  static let areasPerName = 64
  /// Towns of one name of which one may lie in a code's region, the largest ones.
  static let townsPerCode = 64
  /// Inhabitants of a place that is not taken to lie in a county near it, where the data does not say in which.
  static let metropolis: UInt32 = 1_000_000
  /// Inhabitants of a city that its quarters and suburbs may be named with.
  static let cityPopulation: UInt32 = 100_000
  /// Postings looked at in one query, all names together: bounds the time of a query made of frequent names only.
  static let postingsPerQuery = 4096

  /// Characters of a name, or of words of a query, that are looked for as misspelt. Shorter ones are one edit away from
  /// too many others.
  static let fuzzyCharactersMin = 5
  static let fuzzyCharactersMax = 48
  /// Words that are looked for together as misspelt, and within an address.
  static let fuzzyTokens = 6
  static let addressFuzzyTokens = 2
  /// Inhabitants of a place whose other names are looked for as misspelt, beside its own.
  static let fuzzyPopulationMin: UInt32 = 15_000
  /// Inhabitants of a place that is taken for the one that was meant, without a look at what is spelt alike.
  static let certainPopulation: UInt32 = 1_000
  /// The share of a text that a place must explain when nothing else speaks for it, and its rank: that of a town of
  /// 4,095; in an address, 1,023; as the last words, 65,535.
  static let coverageMinPercent = 35
  static let prominenceMin = 20 * 256
  static let addressCoverageMinPercent = 10
  static let addressProminenceMin = 18 * 256
  static let lastProminenceMin = 24 * 256
  /// The rank below which a place may have its name in common with a word by chance: that of a town of 4,095.
  static let chanceProminence = 20 * 256
  /// Names that one query is compared with, edit by edit.
  static let comparisonsPerQuery = 1_024

  /// Postcodes found in one query: an address has one, and numbers that look like some.
  static let postcodesPerQuery = 8
  /// Digits of a code that is found without its country's letters too.
  package static let postcodeDigitsMin = 3
  /// How far a postcode may be from the town that is written with it.
  static let postcodeKm = 40.0
  /// How far its point may be from the town for it to be the answer rather than the town's.
  static let postcodePointKm = 15.0
  /// Letters and digits of a code that may be asked for without anything else beside it.
  static let postcodeLengthMin = 4
  /// The same of a code that has a letter, with nothing else beside it at all.
  static let letteredPostcodeLengthMin = 3
  /// How far from a point the nearest place may be. Farther out at sea there is none.
  static let nearbyKm = 100.0
  /// Names that begin as the text does and are looked at, and the places of each by which their rank is told.
  static let completions = 16
  static let completionPostings = 8
}
