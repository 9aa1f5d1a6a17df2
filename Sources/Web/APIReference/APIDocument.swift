import COpenAPI

/// The OpenAPI document of a service, from the `openapi.json` that was compiled into the program. (OpenAPI 3.1.1.)
struct APIDocument: Sendable {
  /// An operation of the API. Paths that share one path item share their operations.
  struct Operation: Sendable {
    /// Paths, such as "/v2/posts/{id}".
    var paths: [String]
    /// Method, such as "GET".
    let method: String
    /// Fragment identifier of the operation on the page.
    let anchor: String
    let node: DocumentNode
    /// Parameters of the path and of the operation, with references resolved.
    let parameters: [DocumentNode]
  }

  /// The document as the service serves it.
  let bytes: [UInt8]
  let root: DocumentNode

  /// Parses the document of a service.
  ///
  /// - Throws: `DocumentNode.Malformed` if the document is not JSON. The tests exclude this.
  init(of service: DocumentedService) throws(DocumentNode.Malformed) { try self.init(bytes: service.document) }

  /// Parses an OpenAPI document.
  init(bytes: [UInt8]) throws(DocumentNode.Malformed) {
    self.bytes = bytes
    root = try DocumentNode(bytes)
  }

  /// Returns the target of a reference within the document, or `node` itself if it is not a reference.
  func resolved(_ node: DocumentNode) -> DocumentNode {
    guard let path = node["$ref"]?.string?.dropFirst(2) else { return node }
    // Names in these documents contain no "~" and no "/", so that pointers need no unescaping. (RFC 6901.)
    return path.split(separator: "/").reduce(root) { found, name in found?[String(name)] } ?? node
  }

  /// All operations, in the document's order.
  var operations: [Operation] {
    var operations: [Operation] = []
    for (path, item) in root["paths"]?.members ?? [] {
      let shared = item["$ref"]?.string?.split(separator: "/").last.map(String.init)
      let item = resolved(item)
      let common = item["parameters"]?.elements ?? []
      for (name, node) in item.members where APIDocument.methods.contains(name) {
        let anchor = shared.map { "\($0)-\(name)" } ?? node["operationId"]?.string ?? "\(name)-\(path)"
        if let known = operations.firstIndex(where: { $0.anchor == anchor }) {
          operations[known].paths.append(path)
        } else {
          let parameters = (common + (node["parameters"]?.elements ?? [])).map(resolved)
          operations.append(
            Operation(paths: [path], method: name.uppercased(), anchor: anchor, node: node, parameters: parameters))
        }
      }
    }
    return operations
  }

  private static let methods: Set = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]
}

/// A service with its own OpenAPI document.
package enum DocumentedService: Sendable {
  case ingest, feed

  /// Bytes of the service's `openapi.json`.
  var document: [UInt8] {
    var count = 0
    let start =
      switch self {
      case .ingest: onthemap_openapi(&count)
      case .feed: onthemap_feed_openapi(&count)
      }
    return Array(UnsafeBufferPointer(start: start, count: count))
  }
}
