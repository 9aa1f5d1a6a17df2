import Foundation
import Glibc

/// A trial of a folder's disk: writes of a page, each with a sync, in a file that the trial removes before it writes.
struct SyncTrial: Sendable {
  /// A failed call, and the system's reason.
  struct Failure: Error, Sendable, Equatable, CustomStringConvertible {
    let description: String
  }

  /// Median of the syncs, in microseconds.
  let medianUs: Double

  /// Creates, writes and syncs the file. Blocks on the disk.
  ///
  /// - Throws: `Failure` for the first call that fails.
  init(folder: String) throws(Failure) {
    let path = "\(folder)/.onthemap-doctor-\(getpid())"
    let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .of("a file cannot be created in \(folder)") }
    defer { close(descriptor) }
    // Without a name, the file ends with this process in every case.
    unlink(path)
    let page = [UInt8](repeating: 0, count: DoctorLimits.syncBytes)
    var durations: [Double] = []
    for _ in 0...DoctorLimits.syncSamples {
      guard pwrite(descriptor, page, page.count, 0) == page.count else { throw .of("a write to \(folder) fails") }
      let start = ContinuousClock.now
      guard fdatasync(descriptor) == 0 else { throw .of("a sync in \(folder) fails") }
      let duration = (ContinuousClock.now - start).components
      durations.append(Double(duration.seconds) * 1e6 + Double(duration.attoseconds) / 1e12)
    }
    // The first sync also allocates the page.
    medianUs = durations.dropFirst().sorted()[DoctorLimits.syncSamples / 2]
  }

  /// Returns the result of the check for a median, in microseconds.
  static func check(_ id: String, medianUs: Double) -> Check {
    let measure = Check.Measure(medianUs / 1_000, "ms")
    let text = "a sync takes \(String(format: "%.2f", medianUs / 1_000)) ms (median of \(DoctorLimits.syncSamples))"
    switch medianUs {
    case ..<DoctorLimits.syncSuspectUs:
      return .warning(
        id, "\(text), which is too fast for a disk without a power-protected cache", measure,
        remedy: "The disk may report data as stored before it is. Check its write cache, and that of the virtual "
          + "machine. With a protected cache, ignore this warning")
    case DoctorLimits.syncSlowUs...:
      return .warning(
        id, "\(text), and each commit waits for one", measure,
        remedy: "Use a faster disk, or find the program that keeps this disk busy (iotop)")
    default: return .ok(id, text, measure)
    }
  }
}

extension SyncTrial.Failure {
  /// Creates the failure of the last system call.
  fileprivate static func of(_ event: String) -> Self {
    Self(description: "\(event): \(String(cString: strerror(errno)))")
  }
}
