import Foundation

/// Collector of the kernel's figures about this process, under the names that Prometheus' own clients use.
package struct ProcessCollector: Sendable {
  private let version: String

  /// Creates a collector.
  ///
  /// - Parameter version: Version of the program.
  package init(version: String) { self.version = version }

  /// Reads /proc/self, which takes some tens of µs. The result omits unreadable values.
  package func collect() -> [Sample] {
    var samples = [Metric.buildInfo.sample(1, version)]
    // Fields after the name in parentheses, which may contain spaces. The first is field 3 (proc(5)).
    let stat = (try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8)) ?? ""
    let fields = stat.drop { $0 != ")" }.dropFirst(2).split(separator: " ").map { Double($0) ?? 0 }
    if fields.count > 21 {
      let perSecond = Double(sysconf(Int32(_SC_CLK_TCK)))
      samples += [
        Metric.processCPU.sample((fields[11] + fields[12]) / perSecond),
        Metric.processThreads.sample(fields[17]),
        Metric.processStart.sample(ProcessCollector.bootSeconds + fields[19] / perSecond),
        Metric.processVirtual.sample(fields[20]),
        Metric.processResident.sample(fields[21] * Double(sysconf(Int32(_SC_PAGESIZE)))),
      ]
    }
    if let open = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
      // The descriptor that reads the folder does not count.
      samples.append(Metric.processDescriptors.sample(max(0, open.count - 1)))
    }
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
      samples.append(Metric.processDescriptorsMax.sample(limit.rlim_cur))
    }
    return samples
  }

  /// Boot time of the machine, in seconds since 1970, by the current clock.
  private static var bootSeconds: Double {
    var (now, up) = (timespec(), timespec())
    clock_gettime(CLOCK_REALTIME, &now)
    clock_gettime(CLOCK_BOOTTIME, &up)
    return Double(now.tv_sec - up.tv_sec) + Double(now.tv_nsec - up.tv_nsec) / 1e9
  }
}
