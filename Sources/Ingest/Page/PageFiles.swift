import CPage
import Domain
import HTTPTypes
import Hummingbird
import NIOCore
import Web

/// The page's files, which are compiled into the program, each plain and gzipped.
///
/// The URLs of the files contain a hash of the content. A browser can cache them forever and never mixes two versions.
struct PageFiles: Sendable {
  /// A file. Any thread.
  struct File: Sendable {
    let type: String
    let plain: ByteBuffer
    /// The gzipped content. Nil if it would not be smaller.
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

  /// All files. Swift compresses the files at the first request. At startup, that would take longer than all the rest.
  static let all = PageFiles()
  /// The map's document.
  static let index = all.document("index.html")
  /// The document of the admin page.
  static let admin = all.document("admin.html")

  /// Path of the files, with a hash of all of them: "/page/0123456789abcdef".
  let root: String
  /// Files by name, below the root.
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

  /// The file with this name. Nil if there is none.
  subscript(name: String) -> File? { files[name] }

  /// Returns a document with the URLs of its files in place of their names below "assets/". The document also lists all
  /// modules that its script imports, so that a browser requests the modules together.
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

  /// Returns all direct and indirect imports of a module, each once.
  private func modules(from name: String) -> [String] {
    var found: [String] = []
    var open = [name]
    while let next = open.popLast() {
      guard let file = files[next] else { preconditionFailure("A module imports the missing file \(next).") }
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
