/// What is still to happen, in the order of its time; at the same time in the order in which it was put.
struct EventQueue<Event> {
  private struct Entry {
    let atMs: Int64
    let event: Event
  }

  /// The next one comes last.
  private var entries: [Entry] = []
  /// Milliseconds since the beginning.
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

  /// Takes the next event, and goes on to its time.
  mutating func next() -> Event? {
    guard let entry = entries.popLast() else { return nil }
    nowMs = max(nowMs, entry.atMs)
    return entry.event
  }
}
