import Foundation

extension APIResponse {
  /// Parses the only response of a connection. Nil if it is malformed or incomplete.
  init?(raw: String) {
    guard let end = raw.range(of: "\r\n\r\n") else { return nil }
    let lines = raw[..<end.lowerBound].components(separatedBy: "\r\n")
    guard let status = lines[0].components(separatedBy: " ").dropFirst().first.flatMap({ Int($0) }) else { return nil }
    let fields = lines.dropFirst().compactMap { line in
      line.range(of: ": ").map { (line[..<$0.lowerBound].lowercased(), String(line[$0.upperBound...])) }
    }
    self.init(
      status: status, headers: Dictionary(fields) { $0 + ", " + $1 }, body: Data(raw[end.upperBound...].utf8))
    guard Int(headers["content-length"] ?? "0") == body.count else { return nil }
  }
}
