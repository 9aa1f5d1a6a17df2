import Testing

@Suite("The repository")
struct RepositoryTests {
  @Test("Its top level holds only what is fixed")
  func topLevel() {
    let fixed: Set = ["Package.swift", "Sources", "Tests", "deploy", "proto", "README.md", "Makefile", "LICENSE"]
    let strangers = SourceTree.topLevel.filter { !$0.hasPrefix(".") }.subtracting(fixed).sorted()
    #expect(
      strangers.isEmpty,
      "\(strangers) at the top level: designs go to Sources/<Target>/<Target>.docc, scripts into the Makefile.")
  }

  @Test("No file knows the machine that it was made on")
  func machine() {
    let place = Pattern(#"((?<![\w.$}*-])/(?:work|root|opt/swift)/)"#)
    func rule(_ file: SourceFile) -> [Violation] {
      guard !file.isUnder("Tests/TidyTests") else { return [] }
      return place.matches(in: file.text).map {
        Violation(
          path: file.path, line: $0.line, advice: "\($0.text) exists on one machine only; find it from #filePath.")
      }
    }
    enforce(
      SourceTree.texts, to: rule,
      bad: [SourceFile("a.md", "cd /" + "work/main"), SourceFile("a.sh", "\"/" + "root/.cache\"")],
      good: [SourceFile("a.md", "frame/work/item, /workers, https://example.org/work/1")])
  }

  @Test("README says how to run and how to test")
  func readme() {
    func rule(_ file: SourceFile) -> [Violation] {
      guard file.path == "README.md" else { return [] }
      return ["make run", "make test"].filter { !file.text.contains($0) }.map {
        Violation(path: file.path, line: 0, advice: "name `\($0)`: whoever comes first looks for it here.")
      }
    }
    let files = SourceTree.markdown
    #expect(files.contains { $0.path == "README.md" }, "README.md is missing.")
    enforce(
      files, to: rule, bad: [SourceFile("README.md", "make run")],
      good: [SourceFile("README.md", "make run\nmake test"), SourceFile("proto/README.md", "")])
  }

  @Test("Every link between documents leads somewhere")
  func links() {
    let link = Pattern(#"\]\(<?(?!\w+:|#)([^)\s>#]+)"#)
    let fence = Pattern(#"^\s*```"#)
    func rule(_ file: SourceFile) -> [Violation] {
      let fences = fence.matches(in: file.text).map(\.line)
      let folder = file.path.split(separator: "/").dropLast().map { $0 + "/" }.joined()
      return link.matches(in: file.text).filter { found in
        let isCode = !fences.filter { $0 < found.line }.count.isMultiple(of: 2)
        return !isCode && !SourceTree.exists(found.text.hasPrefix("/") ? found.text : folder + found.text)
      }.map {
        Violation(path: file.path, line: $0.line, advice: "\($0.text) does not exist; mend the link or drop it.")
      }
    }
    enforce(
      SourceTree.markdown, to: rule, bad: [SourceFile("Sources/a.md", "[b](../nowhere.md)")],
      good: [
        SourceFile("Sources/a.md", "[b](../Package.swift#c), [d](https://example.org/e), [f](#g), ![](Messaging)"),
        SourceFile("a.md", "```\n[b](nowhere.md)\n```"),
      ])
  }
}
