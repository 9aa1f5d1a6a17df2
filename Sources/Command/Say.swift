import Foundation

/// One line on standard output.
func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// One line on standard error.
func complain(_ line: String) {
  FileHandle.standardError.write(Data((line + "\n").utf8))
}

/// A host as it stands in an address: IPv6 in brackets.
func authority(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }
