extension QueueEntry {
  /// Writes the entry's members to an open object.
  package func write(to json: inout JSONWriter) {
    json.add("id", id.description)
    json.add("state", state.name)
    json.add("account", account.rawValue)
    json.add("place", place)
    if !link.isEmpty { json.add("link", link) }
    if !label.isEmpty { json.add("label", label) }
    json.add("failedAttempts", attempts)
    json.add("leaseLosses", leaseLosses)
    if let reason = reason {
      json.object("reason") { json in
        json.add("code", reason.code)
        json.add("detail", reason.detail)
      }
    }
    json.add("createdAt", unixMs: createdMs)
    json.add("updatedAt", unixMs: updatedMs)
    if !worker.isEmpty { json.add("worker", worker) }
    if let remainingMs { json.add("remainingMs", remainingMs) }
    if let trace = trace { json.add("traceparent", trace.description) }
  }

  /// Writes the entry's members and its history, oldest first, to an open object.
  package func write(to json: inout JSONWriter, _ history: [PostEvent]) {
    write(to: &json)
    json.array("history", history) { json, event in
      json.add("event", event.kind.name)
      json.add("at", unixMs: event.atMs)
      if !event.reason.code.isEmpty { json.add("code", event.reason.code) }
      if !event.reason.detail.isEmpty { json.add("detail", event.reason.detail) }
    }
  }
}

extension QueueChange {
  /// Writes the change's members to an open object.
  package func write(to json: inout JSONWriter) {
    json.array("changed", done) { $0.add("id", $1.description) }
    json.array("unchanged", unchanged) { json, post in
      json.add("id", post.id.description)
      json.add("state", post.state?.name ?? "unknown")
    }
    if let next { json.add("next", next.description) }
  }
}
