import Domain

/// Which column of a CSV file is what.
struct TableHeader: Sendable {
  /// As they stand there.
  let names: [String]
  private let places: [String: Int]

  /// The names are compared without their case.
  ///
  /// - Throws: `TableError` when a name is there twice, or the lines have ends that are no line feeds.
  init(_ fields: CSVFields) throws(TableError) {
    guard !fields.values.contains(where: { $0.utf8.contains(0x0D) }) else {
      throw TableError("its lines end with carriage returns alone; save it with line feeds")
    }
    names = fields.values.map(\.trimmedLine)
    var places: [String: Int] = [:]
    for (index, name) in names.enumerated() where !name.isEmpty {
      guard places.updateValue(index, forKey: name.lowercased()) == nil else {
        throw TableError("two columns are called \"\(name.safeLine(bytesMax: Limits.complaintBytesMax))\"")
      }
    }
    self.places = places
  }

  /// Where the first of these columns stands that is there.
  func column(_ names: String...) -> Int? {
    for name in names { if let place = places[name] { return place } }
    return nil
  }

  /// "it has query, lat, lon", for complaints.
  var description: String {
    let isSplit = names.count > 1 || names.allSatisfy { !$0.contains(";") && !$0.contains("\t") }
    return "it has \(names.joined(separator: ", ").safeLine(bytesMax: ToolLimits.problemDetailBytesMax))"
      + (isSplit ? "" : ", and columns must have commas between them")
  }
}

/// The parts of a question to a geocoder by the columns that hold them.
struct QueryColumns: Sendable {
  private let options: [(option: PlaceQuery.Option, column: Int)]
  private let focus: (latitude: Int, longitude: Int)?

  /// - Parameter ignored: options whose columns mean something else in this table.
  /// - Throws: `TableError` when there is only one column of the two for a point.
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
    default: throw TableError("focus_lat and focus_lon must both be columns, or none; \(header.description)")
    }
  }

  /// A row's question. What the row leaves empty stays as it is in `query`.
  ///
  /// - Throws: the first of its parts that is wrong.
  func read(_ fields: [String], into query: inout PlaceQuery) throws(InvalidOption) {
    func value(_ column: Int) -> String { fields.indices.contains(column) ? fields[column] : "" }
    for (option, column) in options { try query.set(option, to: value(column)) }
    guard let focus, !value(focus.latitude).isEmpty || !value(focus.longitude).isEmpty else { return }
    try query.set(.focus, to: "\(value(focus.latitude)),\(value(focus.longitude))")
  }
}
