import Foundation

/// What the kernel knows of this process, under the names that Prometheus' own clients use.
package struct ProcessCollector: Sendable {
  private let version: String

  /// - Parameter version: the program's.
  package init(version: String) { self.version = version }

  /// Reads /proc/self, which takes some tens of µs; what cannot be read is left out.
  package func collect() -> [Sample] {
    var samples = [Metric.buildInfo.sample(1, version)]
    // After the name in parentheses, which may hold spaces: field 3 is the first (proc(5)).
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
      // Without the one that reads the folder.
      samples.append(Metric.processDescriptors.sample(max(0, open.count - 1)))
    }
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
      samples.append(Metric.processDescriptorsMax.sample(limit.rlim_cur))
    }
    return samples
  }

  /// When the machine started, in seconds since 1970, as the clock has it now.
  private static var bootSeconds: Double {
    var (now, up) = (timespec(), timespec())
    clock_gettime(CLOCK_REALTIME, &now)
    clock_gettime(CLOCK_BOOTTIME, &up)
    return Double(now.tv_sec - up.tv_sec) + Double(now.tv_nsec - up.tv_nsec) / 1e9
  }
}
