import Glibc

/// The wall clock, for people. Rules about waiting use `Reactor.nowMs`, which never goes back.
package enum WallClock {
  /// Time in milliseconds since 1970, UTC.
  package static var unixMs: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}
