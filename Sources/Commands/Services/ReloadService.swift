import Foundation
import Logging
import ServiceLifecycle
import UnixSignals

/// Calls somebody whenever the process gets SIGHUP, which then does not end it. One that goes out because the terminal
/// is gone ends the process as before, unless it was started with `nohup`.
struct ReloadService: Service {
  private let endsWithTerminal: Bool
  private let reload: @Sendable () -> Void

  /// - Parameter reload: may take its time; what comes meanwhile is one more call.
  init(reload: @escaping @Sendable () -> Void) {
    self.reload = reload
    var action = sigaction()
    let isIgnored = sigaction(SIGHUP, nil, &action) == 0 && Self.isIgnored(action)
    endsWithTerminal = Self.hasTerminal && !isIgnored
  }

  /// Runs until graceful shutdown.
  func run() async throws {
    for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
      if endsWithTerminal, !Self.hasTerminal {
        kill(getpid(), SIGTERM)
      } else {
        // Seconds of work, for which nobody else's thread is to stop.
        await withCheckedContinuation { done in
          Thread.detachNewThread { [reload] in
            reload()
            done.resume()
          }
        }
      }
    }
    // Ended before the others are asked to end, it would end them.
    try? await gracefulShutdown()
  }

  private static var hasTerminal: Bool {
    let terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard terminal >= 0 else { return false }
    close(terminal)
    return true
  }

  private static func isIgnored(_ action: sigaction) -> Bool {
    unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
  }
}
