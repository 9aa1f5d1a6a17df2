import Logging
import Store

extension Logger {
  /// Logs an error, unless the store logs its cause itself.
  func error(_ message: Logger.Message, unlessLoggedByStore error: any Error) {
    guard (error as? StoreError)?.isLoggedOnce != true else { return }
    self.error(message, metadata: ["error": "\(error)"])
  }
}
