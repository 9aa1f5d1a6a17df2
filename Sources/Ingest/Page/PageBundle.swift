/// Joins a script with the modules that it imports, and a style sheet with the sheets that it imports. A browser then
/// needs one request instead of one for each file.
///
/// The page does not use a bundler such as esbuild. A bundler is one more tool on every machine that builds the
/// program: `swift build` and the Docker image need only Swift and Debian's packages. The page uses a small part of the
/// module syntax, so joining its files takes few lines. PageSourceTests checks that part: an import is one line, and an
/// export is `export` before a class, a function or a constant at the start of a line. No two modules export the same
/// name.
struct PageBundle {
  /// Text of each source file by its path below Sources/WebPage.
  let sources: [String: String]

  /// Returns the scripts of a document as one script: Leaflet and the modules. The texts of a language, which belong
  /// in front of it, are not a part of it.
  func script(of document: String) -> String {
    document.matches(of: PageBundle.scripts).map { match in
      let name = String(match.1)
      if name.hasPrefix("texts/") { return "" }
      guard match.2 == "type=\"module\"" else { return sources[name, default: ""] + "\n" }
      return "(async () => {\n'use strict';\n\(script(name))})();\n"
    }.joined()
  }

  /// Returns a document with one script in place of its scripts.
  func replacingScripts(of document: String, with script: String) -> String {
    var isFirst = true
    return document.replacing(PageBundle.scripts) { _ in
      defer { isFirst = false }
      return isFirst ? "<script src=\"assets/\(script)\" defer></script>\n" : ""
    }
  }

  /// Returns a script after all modules that it imports, directly or indirectly.
  ///
  /// A function surrounds each module, so that its private names do not conflict with other modules.
  private func script(_ entry: String) -> String {
    joined(entry) { name, text in
      var exported: [Substring] = []
      let lines = PageBundle.withoutComments(text).compactMap { line -> Substring? in
        if line.hasPrefix("import ") { return nil }
        guard line.hasPrefix("export ") else { return line }
        let declaration = line.dropFirst("export ".count)
        exported.append(PageBundle.name(of: declaration))
        return declaration
      }
      let body = lines.joined(separator: "\n")
      if name == entry { return body }
      let names = exported.joined(separator: ", ")
      return "const { \(names) } = (() => {\n\(body)return { \(names) };\n})();\n"
    }
  }

  /// Returns the lines of a module without those of comments, which are a third of the compressed script. A comment
  /// has whole lines, and no text has a line break, as PageSourceTests checks.
  private static func withoutComments(_ text: String) -> [Substring] {
    var isComment = false
    return text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
      let code = line.drop { $0 == " " }
      if code.hasPrefix("//") { return false }
      isComment = isComment || code.hasPrefix("/*")
      defer { if code.hasSuffix("*/") { isComment = false } }
      return !isComment
    }
  }

  /// Returns a style sheet after all sheets that it imports.
  func style(_ entry: String) -> String {
    joined(entry) { _, text in
      text.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix("@import ") }
        .joined(separator: "\n")
    }
  }

  /// Returns the texts of a file and of its imports, each once. A file comes after its own imports.
  private func joined(_ entry: String, _ text: (_ name: String, _ source: String) -> String) -> String {
    var found: Set<String> = []
    var result = ""
    func add(_ name: String) {
      guard found.insert(name).inserted else { return }
      guard let source = sources[name] else { preconditionFailure("The page imports the missing file \(name).") }
      for line in source.split(separator: "\n") where line.hasPrefix("import ") || line.hasPrefix("@import ") {
        guard let path = line.split(separator: "'").dropFirst().first else { continue }
        add(PageBundle.resolve(path, from: name))
      }
      result += text(name, source)
    }
    add(entry)
    return result
  }

  /// A document's line with a script: the script's path, and `defer` or its type.
  private static var scripts: Regex<(Substring, Substring, Substring)> {
    /<script src="assets\/([^"]+)" (defer|type="module")><\/script>\n/
  }

  /// Returns the name that a declaration declares, such as "Pins" of "class Pins {".
  private static func name(of declaration: Substring) -> Substring {
    let keywords: Set<Substring> = ["async", "function", "class", "const"]
    let words = declaration.split(separator: " ").drop { keywords.contains($0) }
    return words.first?.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" } ?? ""
  }

  /// Returns the path below Sources/WebPage of an import such as "../common/api.js".
  private static func resolve(_ path: Substring, from name: String) -> String {
    var folders = name.split(separator: "/").dropLast()
    for part in path.split(separator: "/") where part != "." {
      if part == ".." { folders = folders.dropLast() } else { folders.append(part) }
    }
    return folders.joined(separator: "/")
  }
}
