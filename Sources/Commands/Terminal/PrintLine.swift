import Glibc

/// One line on standard output.
func printLine(_ line: String) { writeAll(line + "\n", on: STDOUT_FILENO) }

/// One line on standard error.
func printError(_ line: String) { writeAll(line + "\n", on: STDERR_FILENO) }

/// Writes all of a text, or what can be written: a reader that has gone, or a full disk, must not end a service. False
/// where it was not all.
@discardableResult
func writeAll(_ text: String, on descriptor: Int32) -> Bool {
  var text = text
  return text.withUTF8 { writeAll(UnsafeRawBufferPointer($0), on: descriptor) }
}

/// The same of bytes.
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

/// A host as it stands in an address: IPv6 in brackets.
func authority(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }
