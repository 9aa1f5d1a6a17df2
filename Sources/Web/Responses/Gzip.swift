import CZlib
package import NIOCore

extension ByteBuffer {
  /// Returns the buffer's bytes in the gzip format (RFC 1952). Nil if memory is short.
  package func gzip() -> ByteBuffer? {
    var stream = z_stream()
    // 16 selects gzip's header and trailer, 15 the largest window.
    let begun = deflateInit2_(
      &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + 15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    guard begun == Z_OK else { return nil }
    defer { deflateEnd(&stream) }
    let sizeMax = Int(deflateBound(&stream, uLong(readableBytes)))
    var input = self
    var output = ByteBuffer()
    var end = Z_OK
    output.writeWithUnsafeMutableBytes(minimumWritableBytes: sizeMax) { output in
      input.readWithUnsafeMutableReadableBytes { input in
        stream.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.avail_in = uInt(input.count)
        stream.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.avail_out = uInt(output.count)
        end = deflate(&stream, Z_FINISH)
        return input.count
      }
      return Int(stream.total_out)
    }
    return end == Z_STREAM_END ? output : nil
  }
}
