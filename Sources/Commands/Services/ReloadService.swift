import Foundation
import Logging
import ServiceLifecycle
import UnixSignals

/// Service that reloads on SIGHUP. A SIGHUP because the terminal has closed still ends the process, unless `nohup`
/// started it.
struct ReloadService: Service {
  private let endsWithTerminal: Bool
  private let reload: @Sendable () -> Void

  /// Creates the service.
  ///
  /// - Parameter reload: Function that reloads. It may block. Signals that arrive meanwhile cause one further call.
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
        // The reload takes seconds, so it gets its own thread and blocks no other.
        await withCheckedContinuation { done in
          Thread.detachNewThread { [reload] in
            reload()
            done.resume()
          }
        }
      }
    }
    // The other services would end too if this service ended earlier.
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
