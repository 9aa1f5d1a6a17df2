/// A ZeroMQ address: `tcp://HOST:PORT` or `ipc://PATH`.
package struct Endpoint: Sendable, Hashable, CustomStringConvertible {
  package let description: String

  /// Throws `LinkError.endpoint`. A port of 0 or `*` takes a free one; the reactor tells which.
  package init(_ text: String) throws(LinkError) {
    if text.hasPrefix("ipc://"), text.utf8.count > 6, text.utf8.count < 108 {
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

  /// A host name or address together with a scheme and port, as a client connects to it: a wildcard becomes this host.
  package var connectable: Endpoint {
    guard ["tcp://0.0.0.0:", "tcp://[::]:", "tcp://*:"].contains(where: description.hasPrefix) else { return self }
    let port = description[description.index(after: description.lastIndex(of: ":") ?? description.startIndex)...]
    return (try? Endpoint("tcp://127.0.0.1:\(port)")) ?? self
  }
}
