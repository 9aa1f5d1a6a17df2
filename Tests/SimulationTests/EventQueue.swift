/// Future events by time. Events of the same time keep their order of scheduling.
struct EventQueue<Event> {
  private struct Entry {
    let atMs: Int64
    let event: Event
  }

  /// Entries with the latest event first, so that the next event is the last element.
  private var entries: [Entry] = []
  /// Simulated time, in milliseconds since the start.
  private(set) var nowMs: Int64 = 0

  mutating func schedule(_ event: Event, inMs: Int64) {
    let atMs = nowMs + max(0, inMs)
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].atMs > atMs { low = middle + 1 } else { high = middle }
    }
    entries.insert(Entry(atMs: atMs, event: event), at: low)
  }

  /// Removes the next event and advances the time to it.
  mutating func next() -> Event? {
    guard let entry = entries.popLast() else { return nil }
    nowMs = max(nowMs, entry.atMs)
    return entry.event
  }
}
