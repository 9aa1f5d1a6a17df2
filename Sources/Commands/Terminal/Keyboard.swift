import Dispatch
import Glibc

/// The keys that the user presses, without a wait for the line end and without an echo. None if standard input is not a
/// terminal.
final class Keyboard {
  let pressed: AsyncStream<UInt8>
  private let source: (any DispatchSourceRead)?
  private let originalMode: termios

  init() {
    var mode = termios()
    let (pressed, continuation) = AsyncStream.makeStream(
      of: UInt8.self, bufferingPolicy: .bufferingNewest(ToolLimits.keysMax))
    self.pressed = pressed
    guard isatty(STDIN_FILENO) == 1, tcgetattr(STDIN_FILENO, &mode) == 0 else {
      (source, originalMode) = (nil, mode)
      return
    }
    originalMode = mode
    // Ctrl-C still sends a signal.
    mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
    tcsetattr(STDIN_FILENO, TCSANOW, &mode)
    let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO)
    source.setEventHandler {
      var key: UInt8 = 0
      if read(STDIN_FILENO, &key, 1) == 1 { continuation.yield(key) } else { source.cancel() }
    }
    source.resume()
    self.source = source
  }

  /// Restores the shell's terminal mode.
  func restore() {
    guard let source else { return }
    source.cancel()
    var mode = originalMode
    tcsetattr(STDIN_FILENO, TCSANOW, &mode)
  }
}
