/// Every bound of the gazetteer's source, with what it follows from.
enum GazetteerBuildLimits {
  /// Bytes of the source that one system call reads: its cost is nothing beside the lines in them.
  static let readBytes = 1 << 20
  /// Bytes of one line of the source: a country with all its names in all languages takes about 10,000.
  static let lineBytes = 1 << 16
  /// Rows of the source. A posting has 28 bits for the place.
  static let places = 1 << 24
  /// Rows of postcodes. The world has some two million outside of the British and Dutch full codes, which add as many.
  static let postcodes = 1 << 24
  /// Bytes of all folded names together, and of all displayed names: an offset has 32 bits, and the world's take 20 MB.
  static let tableBytes = 1 << 30
}
