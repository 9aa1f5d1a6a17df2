import Foundation

/// A wall clock that is off, for programs that are started under it: faketime's library. The command faketime itself
/// stands beside, for it would stand between a program and its signals; the memory that it shares is needed.
final class WrongClock: Sendable {
  static let isAvailable = library != nil && (try? Fault.command("faketime", "-f", "+1d", "true"))?.status == 0

  private static let library = (try? Fault.command("sh", "-c", "ls /usr/lib/*/faketime/libfaketimeMT.so.1"))
    .flatMap { $0.status == 0 ? $0.said.split(separator: "\n").first.map(String.init) : nil }

  /// What a program is started under.
  let command: [String]
  private let holder: pid_t

  /// - Parameter offset: "+2h", "-3d".
  init(_ offset: String) throws {
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["faketime", "-f", offset, "sh", "-c", "echo $FAKETIME_SHARED $$; exec sleep 600"]
    process.standardOutput = pipe
    try process.run()
    let words = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self).split(separator: " ")
    guard words.count == 3, let holder = pid_t(words[2].trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw TimeoutError(description: "faketime has said \(words)")
    }
    self.holder = holder
    // Without the shared memory the library would make its own, and move the environment, and Swift finds a program's
    // arguments before that.
    command = [
      "env", "LD_PRELOAD=\(WrongClock.library ?? "")", "FAKETIME=\(offset)", "FAKETIME_DONT_FAKE_MONOTONIC=1",
      "FAKETIME_SHARED=\(words[0]) \(words[1])",
    ]
  }

  deinit { kill(holder, SIGKILL) }
}
