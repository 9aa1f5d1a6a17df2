import CZlib

/// Decompresses gzip like a client. Returns nil if the bytes are not one complete stream, or decompress to more than
/// `sizeMax` bytes.
package func gunzip(_ packed: [UInt8], sizeMax: Int) -> [UInt8]? {
  var (packed, plain) = (packed, [UInt8](repeating: 0, count: sizeMax + 1))
  var stream = z_stream()
  // 16 accepts only gzip, and 15 accepts every window size.
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
