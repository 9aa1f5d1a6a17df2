import Glibc

/// Prints a line to standard output.
func printLine(_ line: String) { writeAll(line + "\n", on: STDOUT_FILENO) }

/// Prints a line to standard error.
func printError(_ line: String) { writeAll(line + "\n", on: STDERR_FILENO) }

/// Writes a text. Returns false if it cannot write all of it: a lost reader or a full disk must not end a service.
@discardableResult
func writeAll(_ text: String, on descriptor: Int32) -> Bool {
  var text = text
  return text.withUTF8 { writeAll(UnsafeRawBufferPointer($0), on: descriptor) }
}

/// Writes bytes. Returns false if it cannot write all of them.
func writeAll(_ bytes: [UInt8], on descriptor: Int32) -> Bool {
  bytes.withUnsafeBytes { writeAll($0, on: descriptor) }
}

private func writeAll(_ bytes: UnsafeRawBufferPointer, on descriptor: Int32) -> Bool {
  var done = 0
  while done < bytes.count {
    let count = write(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done)
    if count < 0, errno == EINTR { continue }
    guard count > 0 else { return false }
    done += count
  }
  return true
}

/// Returns a host as written in a URL: IPv6 in brackets.
func authority(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }
