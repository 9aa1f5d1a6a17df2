import Foundation

/// A wrong wall clock for programs, by faketime's library. The faketime command only provides the library's shared
/// memory. As the parent of a program, the command would intercept the program's signals.
final class WrongClock: Sendable {
  static let isAvailable = library != nil && (try? Fault.command("faketime", "-f", "+1d", "true"))?.status == 0

  private static let library = (try? Fault.command("sh", "-c", "ls /usr/lib/*/faketime/libfaketimeMT.so.1"))
    .flatMap { $0.status == 0 ? $0.output.split(separator: "\n").first.map(String.init) : nil }

  /// The command under which a program starts.
  let command: [String]
  private let holder: pid_t

  /// - Parameter offset: The clock's offset, such as "+2h" or "-3d".
  init(_ offset: String) throws {
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["faketime", "-f", offset, "sh", "-c", "echo $FAKETIME_SHARED $$; exec sleep 600"]
    process.standardOutput = pipe
    try process.run()
    let words = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self).split(separator: " ")
    guard words.count == 3, let holder = pid_t(words[2].trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw TimeoutError(description: "faketime printed \(words)")
    }
    self.holder = holder
    // Without this shared memory, the library creates its own and moves the environment. Swift would then not find the
    // program's arguments, which it looks for before the environment.
    command = [
      "env", "LD_PRELOAD=\(WrongClock.library ?? "")", "FAKETIME=\(offset)", "FAKETIME_DONT_FAKE_MONOTONIC=1",
      "FAKETIME_SHARED=\(words[0]) \(words[1])",
    ]
  }

  deinit { kill(holder, SIGKILL) }
}
