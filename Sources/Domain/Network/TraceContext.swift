/// Which distributed trace somebody's request belongs to: W3C Trace Context's `traceparent`. It travels with a post
/// from the request to the feed, as it came: no spans are recorded here, so none may claim to be another's parent.
///
/// A class, so that one which is not there takes a job or an entry 8 bytes.
package final class TraceContext: Sendable, Hashable, CustomStringConvertible {
  /// As version 00 writes it: 55 bytes.
  package let description: String

  /// 32 hexadecimal digits, by which a tracing backend finds the trace.
  package var traceID: String { String(description.dropFirst(3).prefix(32)) }
  /// 16 hexadecimal digits: the span that the request was sent in.
  package var parentID: String { String(description.dropFirst(36).prefix(16)) }
  /// Whether its sender records the trace.
  package var isSampled: Bool { description.utf8.last == UInt8(ascii: "1") }

  /// Reads a header. Nil where it is not as the specification says; such a header is as good as none. Of a later
  /// version what this one knows is taken.
  package init?(_ header: String) {
    var header = header
    let description: String? = header.withUTF8 { bytes in
      guard bytes.count >= TraceContext.bytes, let version = TraceContext.number(bytes[0..<2]), version != 0xFF,
        bytes[2] == TraceContext.dash, bytes[35] == TraceContext.dash, bytes[52] == TraceContext.dash,
        bytes.count == TraceContext.bytes || version > 0 && bytes[TraceContext.bytes] == TraceContext.dash,
        TraceContext.isID(bytes[3..<35]), TraceContext.isID(bytes[36..<52]),
        let flags = TraceContext.number(bytes[53..<55])
      else { return nil }
      // Of the flags only this one has a meaning in version 00; the others are to be zero in what is sent on.
      return "00" + String(decoding: bytes[2..<53], as: UTF8.self) + (flags & 1 == 1 ? "01" : "00")
    }
    guard let description else { return nil }
    self.description = description
  }

  package static func == (a: TraceContext, b: TraceContext) -> Bool { a.description == b.description }

  package func hash(into hasher: inout Hasher) { hasher.combine(description) }

  private static let bytes = 55
  private static let dash = UInt8(ascii: "-")

  /// Lower-case hexadecimal digits, not all of them zero.
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
