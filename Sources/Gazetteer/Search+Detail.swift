import OnTheMap

extension Search {
  /// What a look-up tells beyond what a post needs.
  func detail(of candidate: Candidate, _ record: PlaceRecord) -> Place.Detail {
    var detail = Place.Detail()
    if record.level > Place.Level.county.rawValue, let county = sections.place(record.county) {
      detail.county = String(decoding: sections.name(of: county), as: UTF8.self)
    }
    if let postcode = sections.postcode(candidate.postcode) { detail.postcode = postcode.code }
    detail.attribution = sections.attribution
    detail.matched = words(candidate.mask)
    detail.unmatched = words(~candidate.mask)
    return detail
  }

  /// The tokens of a mask as typed; neighbours with what stands between them.
  private func words(_ mask: UInt64) -> String {
    var bytes: [UInt8] = []
    var token = 0
    while token < text.tokenCount {
      guard mask & (1 << token) != 0 else {
        token += 1
        continue
      }
      var last = token
      while last + 1 < text.tokenCount, mask & (1 << (last + 1)) != 0 { last += 1 }
      if !bytes.isEmpty { bytes.append(UInt8(ascii: " ")) }
      bytes += source[Int(text.tokens[token].from)..<min(Int(text.tokens[last].to), source.count)]
      token = last + 1
    }
    return String(decoding: bytes, as: UTF8.self).safeLine(bytesMax: GazetteerLimits.queryBytes)
  }
}
