/// Limits of the gazetteer's source, with their reasons.
enum GazetteerBuildLimits {
  /// Bytes that one system call reads. The call's cost is negligible compared with the parsing of the lines.
  static let readBytes = 1 << 20
  /// Maximum length of a line, in bytes. A country with all its names in all languages takes about 10,000.
  static let lineBytes = 1 << 16
  /// Maximum number of places. A posting has 28 bits for the place.
  static let places = 1 << 24
  /// Maximum number of postcodes. The world has about two million, and the British and Dutch full codes add another two
  /// million.
  static let postcodes = 1 << 24
  /// Maximum bytes of all folded names, and of all displayed names. An offset has 32 bits, and the world's names take
  /// 20 MB.
  static let tableBytes = 1 << 30
}
