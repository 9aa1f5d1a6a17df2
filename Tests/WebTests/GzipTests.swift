import NIOCore
import StubServers
import Testing

@testable import Web

@Suite("gzip")
struct GzipTests {
  @Test("Data survives gzip compression and decompression unchanged", arguments: [0, 1, 1_000, 400_000])
  func same(size: Int) throws {
    let (text, noise) = (
      (0..<size).map { UInt8(ascii: "a") + UInt8($0 % 7) }, (0..<size).map { _ in UInt8.random(in: 0...255) }
    )
    for plain in [text, noise] {
      var buffer = ByteBuffer(bytes: [1, 2, 3] + plain)
      buffer.moveReaderIndex(forwardBy: 3)
      let packed = try #require(buffer.gzip())
      #expect(gunzip(Array(packed.readableBytesView), sizeMax: size) == plain)
      #expect(Array(buffer.readableBytesView) == plain)
    }
    let packed = try #require(ByteBuffer(bytes: text).gzip())
    if size >= 1_000 { #expect(packed.readableBytes < size / 10) }
  }
}
