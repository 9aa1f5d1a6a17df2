import Glibc

/// The clock that people read. Rules that wait use `Reactor.nowMs`, which never goes back.
package enum WallClock {
  /// Milliseconds since 1970, UTC.
  package static var unixMs: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}
