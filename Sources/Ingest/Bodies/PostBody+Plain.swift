extension PostBody {
  /// A post in the plainest form that programs write: an object of texts without escapes, each once. `RequestBody`
  /// reads it in the same way, for a twelfth of all that a post costs from here to the list.
  ///
  /// - Returns: nil for all that is not so plain, be it right or wrong.
  init?(plain bytes: ArraySlice<UInt8>) {
    guard let body = bytes.withUnsafeBufferPointer({ PlainObject($0).body() }) else { return nil }
    self = body
  }
}

/// Where in the bytes one reads.
private struct PlainObject {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var next = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  consuming func body() -> PostBody? {
    var (place, link, key): (String?, String?, String?)
    guard consume(UInt8(ascii: "{")) else { return nil }
    repeat {
      guard let name = text(), consume(UInt8(ascii: ":")), let value = text() else { return nil }
      switch name {
      case "place" where place == nil: place = value
      case "link" where link == nil: link = value
      case "idempotencyKey" where key == nil: key = value
      default: return nil
      }
    } while consume(UInt8(ascii: ","))
    guard consume(UInt8(ascii: "}")), let place, let link else { return nil }
    skipSpace()
    guard next == bytes.count else { return nil }
    return PostBody(place: place, link: link, latitude: nil, longitude: nil, idempotencyKey: key)
  }

  /// (RFC 8259, section 2: space, tab, line feed, carriage return.)
  private mutating func skipSpace() {
    while next < bytes.count, bytes[next] == 0x20 || (0x09...0x0A).contains(bytes[next]) || bytes[next] == 0x0D {
      next += 1
    }
  }

  private mutating func consume(_ byte: UInt8) -> Bool {
    skipSpace()
    guard next < bytes.count, bytes[next] == byte else { return false }
    next += 1
    return true
  }

  /// What stands between two quotation marks, if it stands for itself: no escape, and no control character.
  private mutating func text() -> String? {
    guard consume(UInt8(ascii: "\"")) else { return nil }
    let start = next
    while next < bytes.count, bytes[next] != UInt8(ascii: "\"") {
      guard bytes[next] >= 0x20, bytes[next] != UInt8(ascii: "\\") else { return nil }
      next += 1
    }
    guard next < bytes.count else { return nil }
    defer { next += 1 }
    return String(validating: bytes[start..<next], as: UTF8.self)
  }
}
