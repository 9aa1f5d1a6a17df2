import CZlib
import NIOCore
import Testing

@testable import Web

@Suite("gzip")
struct GzipTests {
  /// As a client does it.
  private func gunzip(_ packed: [UInt8], sizeMax: Int) -> [UInt8]? {
    var (packed, plain) = (packed, [UInt8](repeating: 0, count: sizeMax + 1))
    var stream = z_stream()
    // 16: nothing but gzip.
    guard inflateInit2_(&stream, 16 + 15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return nil }
    defer { inflateEnd(&stream) }
    let end = packed.withUnsafeMutableBufferPointer { input in
      plain.withUnsafeMutableBufferPointer { output in
        stream.next_in = input.baseAddress
        stream.avail_in = uInt(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = uInt(output.count)
        return inflate(&stream, Z_FINISH)
      }
    }
    return end == Z_STREAM_END && stream.avail_in == 0 ? Array(plain[..<Int(stream.total_out)]) : nil
  }

  @Test("What is unpacked is what was packed", arguments: [0, 1, 1_000, 400_000])
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
