/// JSON of the list for the HTTP API. The feed, ingest and `watch --json` write the same bytes.
extension FeedState {
  /// Returns the list as one JSON object.
  ///
  /// - Parameter isStale: True if the list may be behind the store.
  package func json(isStale: Bool = false) -> JSONWriter {
    .object { list in
      list.add("epoch", epoch.description)
      list.add("seq", seq)
      list.add("stateHash", hexadecimal(hash, digits: 16))
      list.add("stale", isStale)
      list.array("entries", entries) { $1.write(to: &$0) }
    }
  }
}

extension FeedDelta {
  /// Writes the delta's members to an open object.
  ///
  /// - Parameter state: List after the delta.
  package func write(to json: inout JSONWriter, _ state: FeedState) {
    json.add("epoch", state.epoch.description)
    json.add("prevSeq", prevSeq)
    json.add("seq", seq)
    json.add("stateHash", hexadecimal(state.hash, digits: 16))
    json.array("upsert", upsert) { $1.write(to: &$0) }
    json.add("remove", remove.map(\.description))
  }
}

extension FeedEntry {
  /// Writes the entry's members to an open object.
  package func write(to json: inout JSONWriter) {
    json.add("id", id.description)
    json.add("seq", seq)
    json.add("firstName", firstName)
    json.add("lastName", lastName)
    json.add("place", place)
    json.add("label", label)
    json.add("countryCode", countryCode)
    json.add("link", link)
    json.add("latitude", coordinate.latitude)
    json.add("longitude", coordinate.longitude)
    json.add("agreement", agreement.name)
    json.add("createdAt", unixMs: createdMs)
    json.add("updatedAt", unixMs: updatedMs)
  }
}
