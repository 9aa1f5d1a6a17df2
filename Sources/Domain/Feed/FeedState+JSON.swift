/// The list in the HTTP API's form: the same bytes from the feed, from ingest, and from `watch --json`.
extension FeedState {
  /// One object.
  ///
  /// - Parameter isStale: whether it may be behind what is stored.
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
  /// Adds the members of what changed to an open object.
  ///
  /// - Parameter state: the list afterwards.
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
  /// Adds the entry's members to an open object.
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
    json.add("agreement", agreement.word)
    json.add("createdAt", unixMs: createdMs)
    json.add("updatedAt", unixMs: updatedMs)
  }
}
