import CPage
import Domain
import HTTPTypes
import Hummingbird
import NIOCore
import Web

/// The page's files, which are compiled into the program, each plain and gzipped.
///
/// The URLs of the files contain a hash of the content. A browser can cache them forever and never mixes two versions.
/// A document's scripts and style sheets are joined, so that the page needs few requests.
struct PageFiles: Sendable {
  /// A file. Any thread.
  struct File: Sendable {
    let type: String
    let plain: ByteBuffer
    /// The gzipped content. Nil if it would not be smaller.
    let gzipped: ByteBuffer?

    init(name: String, _ plain: ByteBuffer) {
      type = PageFiles.types[name.split(separator: ".").last.map(String.init) ?? ""] ?? "application/octet-stream"
      self.plain = plain
      gzipped = plain.gzip().flatMap { $0.readableBytes < plain.readableBytes ? $0 : nil }
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

  /// All files. Services create them with `prepare` before they listen.
  static let all = PageFiles()

  /// Path of the files, with a hash of all of them: "/page/0123456789abcdef".
  let root: String
  /// Codes of the page's languages, English first.
  let languages: [String]
  /// Files by name, below the root.
  private let files: [String: File]
  /// The files of `fixedNames`, by name.
  private let fixedFiles: [String: File]
  private let documents: [DocumentKey: PageDocument]

  private struct DocumentKey: Hashable {
    let name: String
    let language: String
    let isMembersOnly: Bool
  }

  private init() {
    var count = 0
    let start = onthemap_page(&count)
    let embedded = UnsafeBufferPointer(start: start, count: count).map { file in
      (name: String(cString: file.name), bytes: UnsafeRawBufferPointer(start: file.bytes, count: file.count))
    }
    let digests = embedded.flatMap { Secrets.hash($0.bytes) }
    let root = "/page/" + hexadecimal(digests.withUnsafeBytes { Secrets.hash($0) }.prefix(8))
    var files: [String: File] = [:]
    var sources: [String: String] = [:]
    for (name, bytes) in embedded {
      if PageFiles.isSource(name) {
        sources[name] = String(decoding: bytes, as: UTF8.self)
      } else if name == "land.bin" {
        for (tile, body) in LandArchive(ByteBuffer(bytes: bytes)).tiles {
          files["land/\(tile)"] = File(name: "land", body)
        }
      } else {
        files[name] = File(name: name, ByteBuffer(bytes: bytes))
      }
    }
    let texts = PageFiles.texts(sources)
    languages = ["en"] + texts.keys.filter { $0 != "en" }.sorted()
    let bundle = PageBundle(sources: sources)
    var fixed: [String: File] = [:]
    var documents: [DocumentKey: PageDocument] = [:]
    for (name, document) in sources where name.hasSuffix(".html") {
      for match in document.matches(of: /"assets\/([^"]+\.css)"/) {
        let name = String(match.1)
        files[name] = File(name: name, ByteBuffer(string: bundle.style(name)))
      }
      let modules = bundle.script(of: document)
      for (language, texts) in texts {
        let script = "\(name.dropLast(".html".count)).\(language).js"
        files[script] = File(name: script, ByteBuffer(string: texts.script + modules))
        let html = bundle.replacingScripts(of: texts.translate(document), with: script)
          .replacing("\"assets/", with: "\"\(root)/")
        for isMembersOnly in [false, true] {
          let html = isMembersOnly ? html.replacing(PageFiles.listPreload, with: "") : html
          let key = DocumentKey(name: name, language: language, isMembersOnly: isMembersOnly)
          documents[key] = PageDocument(name: name, html, texts)
        }
      }
    }
    for name in PageFiles.fixedNames {
      let text = sources[name, default: ""].replacing("\"assets/", with: "\"\(root)/")
      fixed[name] = File(name: name, ByteBuffer(string: text))
    }
    self.root = root
    self.files = files
    fixedFiles = fixed
    self.documents = documents
  }

  /// Creates `all` on a thread of its own. A request that had to create it would block its event loop for that time:
  /// 0.3 s in a debug build.
  static func prepare() async {
    await withCheckedContinuation { continuation in
      let create: @Sendable () -> Void = {
        _ = all
        continuation.resume()
      }
      if !detachThread(create) { create() }
    }
  }

  /// Returns true for a file that browsers do not get by itself, but as a part of a joined file or of a document.
  private static func isSource(_ name: String) -> Bool {
    [".html", ".js", ".css"].contains(where: name.hasSuffix) || name.hasPrefix("texts/") || fixedNames.contains(name)
  }

  /// Returns the texts of each language, by its code.
  private static func texts(_ sources: [String: String]) -> [String: PageTexts] {
    Dictionary(
      uniqueKeysWithValues: sources.filter { $0.key.hasPrefix("texts/") }.map { name, json in
        let language = name.dropFirst("texts/".count).prefix { $0 != "." }
        return (String(language), PageTexts(language: String(language), json: json))
      })
  }

  /// The file with this name. Nil if there is none.
  subscript(name: String) -> File? { files[name] }

  /// Returns a file of `fixedNames`.
  func fixed(_ name: String) -> File {
    guard let file = fixedFiles[name] else { preconditionFailure("The page has no \(name).") }
    return file
  }

  /// Returns a document in a language that the page has.
  func document(_ name: String, language: String, isMembersOnly: Bool) -> PageDocument {
    let key = DocumentKey(name: name, language: language, isMembersOnly: isMembersOnly)
    guard let document = documents[key] else { preconditionFailure("The page has no \(name).") }
    return document
  }

  /// The link that loads the list early. Without a session, the list of a members-only map is an error, which browsers
  /// show in their console. Documents of such a map therefore lack the link.
  private static let listPreload = "<link rel=\"preload\" href=\"/v2/feed\" as=\"fetch\" crossorigin>\n"

  /// Files with the same path in every version. Like the documents, they name files of their own version.
  static let fixedNames = ["manifest.webmanifest", "sw.js"]

  private static let types = [
    "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml", "json": "application/json", "txt": "text/plain; charset=utf-8",
    "png": "image/png", "webmanifest": "application/manifest+json",
  ]
}
