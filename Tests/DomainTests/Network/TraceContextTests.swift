import Testing

@testable import Domain

/// Cases from W3C Trace Context, section 3.2, and from its test suite.
@Suite("The traceparent header")
struct TraceContextTests {
  private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
  private static let span = "00f067aa0ba902b7"

  @Test("A header of version 00 survives a round trip unchanged")
  func plain() throws {
    for flags in ["00", "01"] {
      let header = "00-\(Self.trace)-\(Self.span)-\(flags)"
      let context = try #require(TraceContext(header))
      #expect(context.description == header && context.traceID == Self.trace && context.parentID == Self.span)
      #expect(context.isSampled == (flags == "01"))
    }
    #expect(TraceContext("00-\(Self.trace)-\(Self.span)-01") == TraceContext("00-\(Self.trace)-\(Self.span)-01"))
  }

  @Test(
    "Fields of later versions and unknown flags are dropped",
    arguments: [
      ("cc-\(trace)-\(span)-01", "01"), ("cc-\(trace)-\(span)-01-what-the-future-brings", "01"),
      ("cc-\(trace)-\(span)-01-", "01"), ("fe-\(trace)-\(span)-00", "00"), ("00-\(trace)-\(span)-ff", "01"),
      ("00-\(trace)-\(span)-02", "00"), ("00-\(trace)-\(span)-fe", "00"),
    ])
  func later(header: String, flags: String) {
    #expect(TraceContext(header)?.description == "00-\(Self.trace)-\(Self.span)-\(flags)")
  }

  @Test(
    "A header that the specification forbids is refused",
    arguments: [
      "", "00", "00-", "-", "00-\(trace)-\(span)", "00-\(trace)-\(span)-", "00-\(trace)-\(span)-0",
      "00-\(trace)-\(span)-1", "00-\(trace)-\(span)-01-", "00-\(trace)-\(span)-01-what", "00-\(trace)-\(span)-010",
      "ff-\(trace)-\(span)-01", "ff-\(trace)-\(span)-01-x", "cc-\(trace)-\(span)-01.what", "0-\(trace)-\(span)-01",
      "000-\(trace)-\(span)-01", ".0-\(trace)-\(span)-01", "0.-\(trace)-\(span)-01", "00-\(trace)-\(span)-.0",
      "00-\(trace)-\(span)-0.", "00-00000000000000000000000000000000-\(span)-01", "00-\(trace)-0000000000000000-01",
      "00-\(trace.uppercased())-\(span)-01", "00-\(trace)-\(span.uppercased())-01", "00-\(trace)-\(span)-0A",
      "00-.bf92f3577b34da6a3ce929d0e0e4736-\(span)-01", "00-\(trace.dropLast())-\(span)-01", "00_\(trace)-\(span)-01",
      "00-\(trace)_\(span)-01", "00-\(trace)-\(span)_01", " 00-\(trace)-\(span)-01", "00-\(trace)-\(span)-01 ",
      "00-\(trace)-\(span)-é", "00-\(trace)-\(span)-01\u{301}",
    ])
  func forbidden(header: String) { #expect(TraceContext(header) == nil) }
}
