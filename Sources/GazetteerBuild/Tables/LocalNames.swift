import Gazetteer

/// Names of countries by language while an index is built.
struct LocalNames {
  private var names: [UInt32: [UInt8]] = [:]

  /// Adds a name. A second name of a country in the same language is ignored.
  mutating func add(_ name: SourceRow.Field, language: UInt16, country: UInt16) {
    let key = LocalNameRecord.key(language: language, country: country)
    if names[key] == nil { names[key] = Array(name) }
  }

  /// Returns the sorted records. Appends their names to `strings`, equal names only once.
  func compiled(_ strings: inout [UInt8]) -> [LocalNameRecord] {
    var offsets: [[UInt8]: UInt32] = [:]
    return names.sorted { $0.key < $1.key }.map { key, name in
      let offset = offsets[name] ?? UInt32(strings.count)
      if offsets.updateValue(offset, forKey: name) == nil { strings += name }
      return LocalNameRecord(
        language: UInt16(key >> 16), country: UInt16(truncatingIfNeeded: key), nameOffset: offset,
        nameLength: UInt32(name.count))
    }
  }
}
