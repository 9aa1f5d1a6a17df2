import COpenAPI

/// The OpenAPI document of a service, as its `openapi.json` was when the program was built. (OpenAPI 3.1.1.)
struct APIDocument: Sendable {
  /// One operation. Where several paths are one implementation, it stands for all of them.
  struct Operation: Sendable {
    /// "/v2/posts/{id}".
    var paths: [String]
    /// "GET".
    let method: String
    /// By which it is found on a page.
    let anchor: String
    let node: DocumentNode
    /// Its path's and its own, references followed.
    let parameters: [DocumentNode]
  }

  /// As it is served.
  let bytes: [UInt8]
  let root: DocumentNode

  /// Reads the document of a service. Throws `DocumentNode.Malformed` where it is no JSON, which its tests would have
  /// found.
  init(of service: DocumentedService) throws(DocumentNode.Malformed) { try self.init(bytes: service.document) }

  /// Reads another document.
  init(bytes: [UInt8]) throws(DocumentNode.Malformed) {
    self.bytes = bytes
    root = try DocumentNode(bytes)
  }

  /// What a reference within the document leads to; the node itself where it is none.
  func resolved(_ node: DocumentNode) -> DocumentNode {
    guard let path = node["$ref"]?.string?.dropFirst(2) else { return node }
    // Names here have no "~" and no "/", which a pointer would escape. (RFC 6901.)
    return path.split(separator: "/").reduce(root) { found, name in found?[String(name)] } ?? node
  }

  /// All, in the document's order.
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

/// A service that serves an OpenAPI document of its own.
package enum DocumentedService: Sendable {
  case ingest, feed

  /// `openapi.json` of the service's sources.
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
