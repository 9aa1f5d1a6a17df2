import Domain

/// A ZeroMQ address: `tcp://HOST:PORT` or `ipc://PATH`.
package struct Endpoint: Sendable, Hashable, CustomStringConvertible {
  package let description: String

  /// Throws `LinkError.endpoint`. A port of 0 or `*` takes a free one; the reactor tells which.
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

  /// Whether only programs of this host can reach it: a file, or a loopback address. A host name is looked up by
  /// nobody here, so that of names only `localhost` is.
  package var isLocal: Bool {
    guard description.hasPrefix("tcp://"), let colon = description.lastIndex(of: ":") else { return true }
    let start = description.index(description.startIndex, offsetBy: 6)
    let host = description[start..<max(start, colon)].drop { $0 == "[" }.prefix { $0 != "]" }.lowercased()
    let address = host.hasPrefix("::ffff:") ? String(host.dropFirst(7)) : host
    return host == "localhost" || host == "lo" || host == "::1"
      || address.wholeMatch(of: #/127\.\d{1,3}\.\d{1,3}\.\d{1,3}/#) != nil
  }

  /// The address one port above, for what belongs to this one: a free port where this takes a free one, a file beside
  /// it where this is a file; nil above the last port.
  package var next: Endpoint? {
    guard description.hasPrefix("tcp://"), let colon = description.lastIndex(of: ":") else {
      return try? Endpoint(description + ".query")
    }
    let port = description[description.index(after: colon)...]
    guard let number = UInt16(port) else { return self }
    return number == .max ? nil : try? Endpoint("\(description[...colon])\(number + 1)")
  }

  /// A host name or address together with a scheme and port, as a client connects to it: a wildcard becomes this host.
  package var connectable: Endpoint {
    guard ["tcp://0.0.0.0:", "tcp://[::]:", "tcp://*:"].contains(where: description.hasPrefix) else { return self }
    let port = description[description.index(after: description.lastIndex(of: ":") ?? description.startIndex)...]
    return (try? Endpoint("tcp://127.0.0.1:\(port)")) ?? self
  }

  /// A free port of the same host, or a file beside this one.
  package var withFreePort: Endpoint {
    guard description.hasPrefix("tcp://"), let colon = description.lastIndex(of: ":") else { return next ?? self }
    return (try? Endpoint("\(description[...colon])*")) ?? self
  }
}
