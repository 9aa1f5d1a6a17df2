import CPage
import Domain
import HTTPTypes
import Hummingbird
import NIOCore
import Web

/// The page's files, in memory as they were when the program was built, each plain and packed.
///
/// They are served under an address that names their content, so that a browser keeps them for good, and never mixes
/// those of two versions.
struct PageFiles: Sendable {
  /// One of them. Any thread.
  struct File: Sendable {
    let type: String
    let plain: ByteBuffer
    /// Nil where it would be no smaller.
    let gzipped: ByteBuffer?

    init(name: String, bytes: UnsafeRawBufferPointer) {
      type = PageFiles.types[name.split(separator: ".").last.map(String.init) ?? ""] ?? "application/octet-stream"
      plain = ByteBuffer(bytes: bytes)
      gzipped = plain.gzip().flatMap { [plain] in $0.readableBytes < plain.readableBytes ? $0 : nil }
    }

    func response(_ coding: ContentCoding, _ headers: HTTPFields) -> Response {
      var headers = headers
      headers[.contentType] = type
      headers.append(HTTPField(name: .vary, value: "Accept-Encoding"))
      guard coding == .gzip, let gzipped else {
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: plain))
      }
      headers[.contentEncoding] = "gzip"
      return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: gzipped))
    }
  }

  /// All files, made with the first request for one: at each start, packing them would take longer than all else.
  static let all = PageFiles()
  /// The document of the map.
  static let index = all.document("index.html")
  /// The document for operators.
  static let admin = all.document("admin.html")

  /// "/page/0123456789abcdef", by all of them.
  let root: String
  /// By name, below the root.
  private let files: [String: File]

  private init() {
    var count = 0
    let start = onthemap_page(&count)
    let all = UnsafeBufferPointer(start: start, count: count).map { file in
      (name: String(cString: file.name), bytes: UnsafeRawBufferPointer(start: file.bytes, count: file.count))
    }
    let digests = all.flatMap { Secrets.hash($0.bytes) }
    let digest = digests.withUnsafeBytes { Secrets.hash($0) }.prefix(8)
    root = "/page/" + hexadecimal(digest)
    files = Dictionary(uniqueKeysWithValues: all.map { ($0.name, File(name: $0.name, bytes: $0.bytes)) })
  }

  /// One of them by its name; nil where there is none.
  subscript(name: String) -> File? { files[name] }

  /// A document that names the others below "assets/": it says where those are, and all modules that its own one leads
  /// to, so that a browser asks for them at once instead of finding them one after the other.
  private func document(_ name: String) -> File {
    guard let file = files[name] else { preconditionFailure("The page has no \(name).") }
    var text = String(buffer: file.plain)
    if let script = text.firstMatch(of: /<script src="assets\/([^"]+)" type="module">/) {
      let links = modules(from: String(script.1)).map { "<link rel=\"modulepreload\" href=\"assets/\($0)\">\n" }
      text.insert(contentsOf: links.joined(), at: script.range.lowerBound)
    }
    text = text.replacing("\"assets/", with: "\"\(root)/")
    return text.withUTF8 { File(name: name, bytes: UnsafeRawBufferPointer($0)) }
  }

  /// What a module imports, and what that does, each once.
  private func modules(from name: String) -> [String] {
    var found: [String] = []
    var open = [name]
    while let next = open.popLast() {
      guard let file = files[next] else { preconditionFailure("\(next) is imported, and is no file of the page.") }
      for match in String(buffer: file.plain).matches(of: /from '([^']+\.js)'/) {
        var path = next.split(separator: "/").dropLast()
        for part in match.1.split(separator: "/") where part != "." {
          if part == ".." { path = path.dropLast() } else { path.append(part) }
        }
        let module = path.joined(separator: "/")
        guard module != name, !found.contains(module) else { continue }
        found.append(module)
        open.append(module)
      }
    }
    return found
  }

  private static let types = [
    "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml", "json": "application/json", "txt": "text/plain; charset=utf-8",
  ]
}
