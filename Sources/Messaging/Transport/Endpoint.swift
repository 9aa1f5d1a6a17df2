import Domain

/// A ZeroMQ address: `tcp://HOST:PORT` or `ipc://PATH`.
package struct Endpoint: Sendable, Hashable, CustomStringConvertible {
  package let description: String

  /// Parses an address. With port 0 or `*`, `bind` uses a free port and returns it.
  ///
  /// - Throws: `LinkError.endpoint`.
  package init(_ text: String) throws(LinkError) {
    if text.hasPrefix("ipc://"), text.utf8.count > 6, text.utf8.count <= Limits.ipcEndpointBytesMax {
      description = text
      return
    }
    guard text.hasPrefix("tcp://"), let colon = text.lastIndex(of: ":") else { throw .endpoint(text) }
    let host = text[text.index(text.startIndex, offsetBy: 6)..<max(colon, text.index(text.startIndex, offsetBy: 6))]
    let port = text[text.index(after: colon)...]
    guard !host.isEmpty, !host.contains("/"), port == "*" || port.first?.isNumber == true && UInt16(port) != nil else {
      throw .endpoint(text)
    }
    description = "tcp://\(host):\(port == "0" ? "*" : port)"
  }

  /// False if `bind` selects a free port.
  package var hasFixedPort: Bool { !description.hasPrefix("tcp://") || !description.hasSuffix(":*") }

  /// True if only programs of this host can reach the address: a file, or a loopback address. Host names are not
  /// resolved, so `localhost` is the only local host name.
  package var isLocal: Bool {
    guard description.hasPrefix("tcp://"), let colon = description.lastIndex(of: ":") else { return true }
    let start = description.index(description.startIndex, offsetBy: 6)
    let host = description[start..<max(start, colon)].drop { $0 == "[" }.prefix { $0 != "]" }.lowercased()
    let address = host.hasPrefix("::ffff:") ? String(host.dropFirst(7)) : host
    return host == "localhost" || host == "lo" || host == "::1"
      || address.wholeMatch(of: #/127\.\d{1,3}\.\d{1,3}\.\d{1,3}/#) != nil
  }

  /// The address of a second socket: the next port, or the path with `.query`. A wildcard port stays a wildcard. Nil
  /// after port 65535.
  package var next: Endpoint? {
    guard description.hasPrefix("tcp://"), let colon = description.lastIndex(of: ":") else {
      return try? Endpoint(description + ".query")
    }
    let port = description[description.index(after: colon)...]
    guard let number = UInt16(port) else { return self }
    return number == .max ? nil : try? Endpoint("\(description[...colon])\(number + 1)")
  }

  /// The address to which a client on this host connects: a wildcard becomes 127.0.0.1.
  package var connectable: Endpoint {
    guard ["tcp://0.0.0.0:", "tcp://[::]:", "tcp://*:"].contains(where: description.hasPrefix) else { return self }
    let port = description[description.index(after: description.lastIndex(of: ":") ?? description.startIndex)...]
    return (try? Endpoint("tcp://127.0.0.1:\(port)")) ?? self
  }

  /// The address with any free port of the same host, or the path with `.query`.
  package var withFreePort: Endpoint {
    guard description.hasPrefix("tcp://"), let colon = description.lastIndex(of: ":") else { return next ?? self }
    return (try? Endpoint("\(description[...colon])*")) ?? self
  }
}
