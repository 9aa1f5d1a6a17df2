import Domain

/// The columns of a CSV file.
struct TableHeader: Sendable {
  /// The names as in the file.
  let names: [String]
  private let indices: [String: Int]

  /// Creates the columns from the first record. Names are compared without case.
  ///
  /// - Throws: `TableError` for a duplicate name, or for lines that end with carriage returns only.
  init(_ fields: CSVFields) throws(TableError) {
    guard !fields.values.contains(where: { $0.utf8.contains(0x0D) }) else {
      throw TableError("lines end with carriage returns only. Save the file with line feeds")
    }
    names = fields.values.map(\.trimmedLine)
    var indices: [String: Int] = [:]
    for (index, name) in names.enumerated() where !name.isEmpty {
      guard indices.updateValue(index, forKey: name.lowercased()) == nil else {
        throw TableError("duplicate column \"\(name.safeLine(bytesMax: Limits.quotedTextBytesMax))\"")
      }
    }
    self.indices = indices
  }

  /// Returns the index of the first of these columns that exists. Nil if none exists.
  func column(_ names: String...) -> Int? {
    for name in names { if let index = indices[name] { return index } }
    return nil
  }

  /// "the table has query, lat, lon", for error messages.
  var description: String {
    let isSplit = names.count > 1 || names.allSatisfy { !$0.contains(";") && !$0.contains("\t") }
    return "the table has \(names.joined(separator: ", ").safeLine(bytesMax: ToolLimits.problemDetailBytesMax))"
      + (isSplit ? "" : ". Separate the columns with commas")
  }
}

/// The columns of the options of a query.
struct QueryColumns: Sendable {
  private let options: [(option: PlaceQuery.Option, column: Int)]
  private let focus: (latitude: Int, longitude: Int)?

  /// Finds the columns of the options.
  ///
  /// - Parameters:
  ///   - header: Columns of the table.
  ///   - ignored: Options whose columns have another meaning in this table.
  /// - Throws: `TableError` if only one column of a point exists.
  init(_ header: TableHeader, ignored: Set<PlaceQuery.Option> = []) throws(TableError) {
    options = PlaceQuery.Option.allCases.compactMap { option in
      guard !ignored.contains(option) else { return nil }
      let column =
        switch option {
        case .country: header.column("country", "country_filter")
        default: header.column(option.rawValue)
        }
      return column.map { (option, $0) }
    }
    switch (header.column("focus_lat"), header.column("focus_lon")) {
    case (let latitude?, let longitude?): focus = (latitude, longitude)
    case (nil, nil): focus = nil
    default: throw TableError("only one of the columns focus_lat and focus_lon is present; \(header.description)")
    }
  }

  /// Copies the options of a row into a query. Options that the row leaves empty stay the same.
  ///
  /// - Throws: `InvalidOption` for the first invalid option.
  func read(_ fields: [String], into query: inout PlaceQuery) throws(InvalidOption) {
    func value(_ column: Int) -> String { fields.indices.contains(column) ? fields[column] : "" }
    for (option, column) in options { try query.set(option, to: value(column)) }
    guard let focus, !value(focus.latitude).isEmpty || !value(focus.longitude).isEmpty else { return }
    try query.set(.focus, to: "\(value(focus.latitude)),\(value(focus.longitude))")
  }
}
