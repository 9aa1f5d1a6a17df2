import NIOCore
import Testing

@testable import Web

@Suite("Content coding")
struct ContentCodingTests {
  @Test(
    "The Accept-Encoding header selects gzip or identity",
    arguments: [
      (nil, .identity), ("", .identity), ("gzip", .gzip), ("GZip", .gzip), ("x-gzip", .gzip),
      ("deflate, gzip;q=1.0, *;q=0.5", .gzip), ("gzip, deflate, br, zstd", .gzip), ("deflate", .identity),
      ("*", .gzip), ("*;q=0", .identity), ("gzip;q=0", .identity), ("gzip;q=0.000, *", .identity),
      ("gzip ; q=0.5", .gzip), ("gzip;Q=0", .identity), ("identity", .identity),
      ("identity;q=1, gzip;q=0.5", .identity),
      ("identity;q=0.5, gzip;q=0.5", .gzip), ("identity;q=0, gzip;q=0", .identity), ("identity;q=0", .identity),
      ("gzip;q=x", .identity), ("gzip;q=2", .identity), ("gzip;q=-1", .identity), ("gzip;q=nan", .identity),
      ("gzip;level=9", .gzip), ("gzipped", .identity), (",,;,gzip", .gzip),
    ] as [(String?, ContentCoding)])
  func accepted(header: String?, coding: ContentCoding) {
    #expect(ContentCoding(accepting: header) == coding)
  }
}
