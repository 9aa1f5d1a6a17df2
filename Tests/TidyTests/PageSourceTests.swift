import Testing

/// Rules for the page's files. page.c serves every file, and the files are short and safe enough for a review.
@Suite("The page's sources")
struct PageSourceTests {
  private let files = SourceTree.texts.filter { $0.isUnder("Sources/WebPage") && !$0.isUnder("Sources/WebPage/Data") }
  private var scripts: [SourceFile] { files.filter { $0.path.hasSuffix(".js") } }
  private var markup: [SourceFile] { files.filter { $0.path.hasSuffix(".html") } }

  @Test("page.c embeds and serves every file of WebPage, and no other")
  func listed() throws {
    let list = try #require(SourceTree.texts.first { $0.path == "Sources/CPage/page.c" }).text
    let embedded = list.matches(of: #/#embed "\.\./WebPage/([^"]+)"/#).map { String($0.1) }
    let served = list.matches(of: #/FILE\("([^"]+)"/#).map { String($0.1) }.filter { !$0.hasPrefix("leaflet/") }
    let folder = "Sources/WebPage/"
    let present = SourceTree.paths.filter { $0.hasPrefix(folder) && !$0.hasPrefix(folder + "Data/") }
      .map { String($0.dropFirst(folder.count)) }
    #expect(present.count > 50, "SourceTree finds too few files.")
    #expect(Set(embedded) == Set(served))
    #expect(Set(present).subtracting(served).sorted() == [], "List them in page.c.")
    #expect(Set(served).subtracting(present).sorted() == [], "Remove them from page.c.")
  }

  @Test("Scripts and style sheets have lines of at most 120 columns and at most 400 lines")
  func size() {
    func rule(_ file: SourceFile) -> [Violation] {
      file.lines.enumerated().filter { $0.element.count > 120 }.map { index, line in
        Violation(path: file.path, line: index + 1, advice: "\(line.count) columns; break the line before column 121.")
      }
        + (file.lines.count > 400
          ? [Violation(path: file.path, line: 0, advice: "\(file.lines.count) lines; split it.")] : [])
    }
    let written = files.filter { $0.path.hasSuffix(".js") || $0.path.hasSuffix(".css") }
    enforce(
      written, to: rule,
      bad: [
        SourceFile("a.js", String(repeating: "a", count: 121)),
        SourceFile("a.css", String(repeating: "\n", count: 400)),
      ],
      good: [SourceFile("a.js", String(repeating: "ü", count: 120) + "\n")])
  }

  @Test("Modules have only the imports and exports that PageBundle joins")
  func joinable() {
    let form = Pattern(
      #"^(?:import \{ \w+(?:, \w+)* \} from '\.[\w./-]+\.js';|export (?:async function|function|class|const) \w+.*)$"#)
    func rule(_ file: SourceFile) -> [Violation] {
      file.lines.enumerated().filter { _, line in
        (line.hasPrefix("import ") || line.hasPrefix("export ")) && form.matches(in: String(line)).isEmpty
      }.map { index, line in
        Violation(path: file.path, line: index + 1, advice: "PageBundle does not know this form: \(line)")
      }
        + (file.text.contains("import.meta") || file.text.contains("import(")
          ? [Violation(path: file.path, line: 0, advice: "no module knows its URL; use asset().")] : [])
    }
    enforce(
      scripts.filter { !$0.path.hasSuffix("/sw.js") }, to: rule,
      bad: [
        SourceFile("a.js", "import a from './a.js';"), SourceFile("a.js", "import { a as b } from './a.js';"),
        SourceFile("a.js", "export default 1;"), SourceFile("a.js", "export { a };"),
        SourceFile("a.js", "import {\n  a } from './a.js';"), SourceFile("a.js", "export let a = 1;"),
        SourceFile("a.js", "new URL('a', import.meta.url)"),
      ],
      good: [
        SourceFile("a.js", "import { a, B } from '../b/a-b.js';\nexport class C extends B {\nexport const d = 1;"),
        SourceFile("a.js", "export async function f() {"),
      ])
  }

  @Test("A comment of a module has whole lines, and a text stays on its line, because PageBundle removes comments")
  func comments() {
    func rule(_ file: SourceFile) -> [Violation] {
      file.lines.enumerated().filter { _, line in
        let code = line.drop { $0 == " " }
        if code.hasPrefix("//") { return false }
        let isInner = !code.hasPrefix("/*") && code.contains("/*")
        let hasCodeAfter = code.hasPrefix("/*") && code.contains("*/") && !code.hasSuffix("*/")
        let isOpen = !code.hasPrefix("*") && !code.hasPrefix("/*") && line.count { $0 == "`" } % 2 == 1
        return isInner || hasCodeAfter || isOpen
      }.map { index, line in
        Violation(path: file.path, line: index + 1, advice: "give the comment its own lines, or join the text: \(line)")
      }
    }
    enforce(
      scripts, to: rule,
      bad: [
        SourceFile("a.js", "run(); /* why */"), SourceFile("a.js", "/* why */ run();"),
        SourceFile("a.js", "const a = `b"),
      ],
      good: [SourceFile("a.js", "/** Runs `a`.\n * Or `b. */\n// `\nconst a = `b`;")])
  }

  @Test("No two modules export the same name, because the joined script has all of them in one scope")
  func exports() {
    let name = Pattern(#"^export (?:async )?(?:function|class|const) (\w+)"#)
    let exported = scripts.flatMap { name.matches(in: $0.text).map(\.text) }
    let repeated = Dictionary(grouping: exported) { $0 }.filter { $0.value.count > 1 }.keys.sorted()
    #expect(exported.count > 50 && repeated == [])
  }

  @Test("No script builds elements from markup or evaluates text")
  func markupFree() {
    let risky = Pattern(
      #"(\.(?:innerHTML|outerHTML)\s*\+?=(?!=)|insertAdjacentHTML|document\.write|\beval\(|new Function|\.srcdoc)"#)
    func rule(_ file: SourceFile) -> [Violation] {
      risky.matches(in: file.text).map {
        Violation(path: file.path, line: $0.line, advice: "\($0.text): make it with element(), from text.")
      }
    }
    enforce(
      scripts, to: rule,
      bad: [SourceFile("a.js", "a.innerHTML = b"), SourceFile("a.js", "a.insertAdjacentHTML('x', b)")],
      good: [SourceFile("a.js", "return node.outerHTML;"), SourceFile("a.js", "a.textContent = b")])
  }

  @Test("HTML files have no inline script, style or listener, and load nothing from other origins")
  func strict() {
    let inline = Pattern(
      #"(<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|javascript:|(?:src|href)="(?:https?:)?//)"#)
    func rule(_ file: SourceFile) -> [Violation] {
      inline.matches(in: file.text).map {
        Violation(path: file.path, line: $0.line, advice: "the page's Content-Security-Policy refuses \($0.text).")
      }
    }
    enforce(
      markup, to: rule,
      bad: [
        SourceFile("a.html", "<script>1</script>"), SourceFile("a.html", "<p style=\"a\">"),
        SourceFile("a.html", "<p onclick=\"a\">"), SourceFile("a.html", "<img src=\"//a/b\">"),
      ],
      good: [SourceFile("a.html", "<script src=\"a.js\"></script><a href=\"/b\">")])
  }
}
