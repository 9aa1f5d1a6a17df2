/// Distributed trace of a request: W3C Trace Context's `traceparent`. A post carries it unchanged from the request to
/// the feed. The programs of this project record no spans, so none replaces the parent id with its own.
///
/// The type is a class, so that an absent trace costs a job or an entry only 8 bytes.
package final class TraceContext: Sendable, Hashable, CustomStringConvertible {
  /// Header value of version 00: 55 bytes.
  package let description: String

  /// Id of the trace, by which a tracing backend finds it: 32 hexadecimal digits.
  package var traceID: String { String(description.dropFirst(3).prefix(32)) }
  /// Id of the span in which the request was sent: 16 hexadecimal digits.
  package var parentID: String { String(description.dropFirst(36).prefix(16)) }
  /// True if the sender records the trace.
  package var isSampled: Bool { description.utf8.last == UInt8(ascii: "1") }

  /// Parses a `traceparent` header. Nil if the header violates the specification. Treat such a header as absent. A
  /// header of a later version is reduced to the fields of version 00.
  package init?(_ header: String) {
    var header = header
    let description: String? = header.withUTF8 { bytes in
      guard bytes.count >= TraceContext.bytes, let version = TraceContext.number(bytes[0..<2]), version != 0xFF,
        bytes[2] == TraceContext.dash, bytes[35] == TraceContext.dash, bytes[52] == TraceContext.dash,
        bytes.count == TraceContext.bytes || version > 0 && bytes[TraceContext.bytes] == TraceContext.dash,
        TraceContext.isID(bytes[3..<35]), TraceContext.isID(bytes[36..<52]),
        let flags = TraceContext.number(bytes[53..<55])
      else { return nil }
      // In version 00 only the lowest flag has a meaning. The other flags must be zero when forwarded.
      return "00" + String(decoding: bytes[2..<53], as: UTF8.self) + (flags & 1 == 1 ? "01" : "00")
    }
    guard let description else { return nil }
    self.description = description
  }

  package static func == (a: TraceContext, b: TraceContext) -> Bool { a.description == b.description }

  package func hash(into hasher: inout Hasher) { hasher.combine(description) }

  private static let bytes = 55
  private static let dash = UInt8(ascii: "-")

  /// Returns true for lower-case hexadecimal digits that are not all zero.
  private static func isID(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    digits.allSatisfy { digit($0) != nil } && digits.contains { $0 != UInt8(ascii: "0") }
  }

  private static func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> UInt8? {
    digits.reduce(0) { number, byte in
      guard let number, let digit = digit(byte) else { return nil }
      return number << 4 | digit
    }
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
