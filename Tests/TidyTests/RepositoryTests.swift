import Testing

@Suite("The repository")
struct RepositoryTests {
  @Test("The top level holds only the fixed files and folders")
  func topLevel() {
    let fixed: Set = ["Package.swift", "Sources", "Tests", "deploy", "proto", "README.md", "Makefile", "LICENSE"]
    let unknown = SourceTree.topLevel.filter { !$0.hasPrefix(".") }.subtracting(fixed).sorted()
    #expect(
      unknown.isEmpty,
      "\(unknown) at the top level: designs go to Sources/<Target>/<Target>.docc, scripts into the Makefile.")
  }

  @Test("No file names a path of one developer's machine")
  func machine() {
    let localPath = Pattern(#"((?<![\w.$}*-])/(?:work|root|opt/swift)/)"#)
    func rule(_ file: SourceFile) -> [Violation] {
      guard !file.isUnder("Tests/TidyTests") else { return [] }
      return localPath.matches(in: file.text).map {
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
        Violation(path: file.path, line: 0, advice: "name `\($0)`: newcomers look for it here.")
      }
    }
    let files = SourceTree.markdown
    #expect(files.contains { $0.path == "README.md" }, "README.md is missing.")
    enforce(
      files, to: rule, bad: [SourceFile("README.md", "make run")],
      good: [SourceFile("README.md", "make run\nmake test"), SourceFile("proto/README.md", "")])
  }
}
