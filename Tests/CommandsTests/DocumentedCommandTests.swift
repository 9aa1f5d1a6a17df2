import ArgumentParser
import Foundation
import Testing

@testable import Commands

/// A command line of a document.
private struct DocumentedCommand {
  /// The document, with the number of the line.
  let place: String
  /// The arguments of `onthemap`.
  let arguments: [String]
}

/// A document of the repository.
private struct Document {
  let path: String
  let text: String

  /// README, the articles, and the documents of deploy/ and proto/.
  static let all: [Document] = {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let paths = ["Sources", "deploy", "proto"].flatMap { folder in
      let names = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
      return (names?.compactMap { $0 as? String } ?? []).map { "\(folder)/\($0)" }
    }
    return (["README.md"] + paths).filter { $0.hasSuffix(".md") && !$0.contains("/.") }.compactMap { path in
      (try? String(contentsOf: root.appending(path: path), encoding: .utf8)).map { Document(path: path, text: $0) }
    }
  }()

  /// The commands in code blocks, fenced or indented. A backslash continues a line.
  var blocks: [DocumentedCommand] {
    var found: [DocumentedCommand] = []
    var (isFenced, isIndented, isBlank) = (false, false, true)
    var open = ""
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let content = line.drop { $0 == " " }
      isIndented = line.hasPrefix("    ") && (isBlank || isIndented)
      isBlank = content.isEmpty
      if content.hasPrefix("```") {
        isFenced.toggle()
      } else if isFenced || isIndented {
        open += content
        guard !open.hasSuffix("\\") else {
          open.removeLast()
          continue
        }
        found += Shell.commands(in: open).map { DocumentedCommand(place: "\(path):\(index + 1)", arguments: $0) }
        open = ""
      }
    }
    return found
  }

  /// The commands in code spans. Arguments may be placeholders.
  var spans: [DocumentedCommand] {
    text.matches(of: #/`(onthemap [^`]+)`/#).flatMap { span in
      Shell.commands(in: String(span.output.1.replacing("\n", with: " ")))
        .map { DocumentedCommand(place: path, arguments: $0) }
    }
  }
}

/// The part of a shell's syntax that documents use: quotation marks, comments, and operators between commands.
private enum Shell {
  /// Returns the arguments of each call of `onthemap`, also after another command.
  static func commands(in line: String) -> [[String]] {
    var commands: [[String]] = [[]]
    var word: String?
    var quote: Character?
    func endWord() {
      if let word { commands[commands.count - 1].append(word) }
      word = nil
    }
    scan: for character in line {
      if let open = quote {
        if character == open { quote = nil } else { word?.append(character) }
        continue
      }
      switch character {
      case "\"", "'":
        quote = character
        word = word ?? ""
      case "#" where word == nil: break scan
      case " ": endWord()
      case "|", ";", "&", "<", ">":
        endWord()
        commands.append([])
      default: word = (word ?? "") + String(character)
      }
    }
    endWord()
    return commands.flatMap { words in
      words.indices.filter { words[$0] == "onthemap" }.map { words[($0 + 1)...].filter { $0 != "…" } }
    }
  }
}

@Suite("Commands in documents")
struct DocumentedCommandTests {
  /// Returns the parser's error for a command line. Nil for a valid command line.
  private static func refusal(of arguments: [String]) -> String? {
    do { _ = try OnTheMapCommand.parseAsRoot(arguments) } catch {
      // The parser throws for help and version too.
      guard OnTheMapCommand.exitCode(for: error) != .success else { return nil }
      return OnTheMapCommand.message(for: error)
    }
    return nil
  }

  /// Returns the first word that is neither a command nor an option of its command. Nil if there is no such word.
  private static func unknownWord(in arguments: [String]) -> String? {
    var command: any ParsableCommand.Type = OnTheMapCommand.self
    for word in arguments.prefix(while: { $0 != "--" }) where word != "help" && word != "--help" {
      let subcommands = command.configuration.subcommands
      if word.hasPrefix("--") {
        let option = String(word.prefix { $0 != "=" })
        let help = command.helpMessage(includeHidden: true, columns: 400)
        guard help.split(whereSeparator: { " \n[],|<=".contains($0) }).contains(Substring(option)) else { return word }
      } else if let next = subcommands.first(where: { $0._commandName == word }) {
        command = next
      } else if !subcommands.isEmpty {
        return word
      }
    }
    return nil
  }

  @Test("The parser accepts every command line in a code block")
  func blocks() {
    let commands = Document.all.flatMap(\.blocks)
    #expect(commands.count > 20)
    for command in commands {
      let refusal = Self.refusal(of: command.arguments)
      #expect(refusal == nil, "\(command.place): \(command.arguments)")
    }
    for line in ["nowhere", "queue drop 4D5ox566Xg", "load --settle 3", "post --place Rome", "geocode"] {
      #expect(Self.refusal(of: line.split(separator: " ").map(String.init)) != nil, "\(line)")
    }
  }

  @Test("Every code span with onthemap names an existing command and its options")
  func spans() {
    let commands = Document.all.flatMap(\.spans)
    #expect(commands.count > 40)
    for command in commands {
      let unknown = Self.unknownWord(in: command.arguments)
      #expect(unknown == nil, "\(command.place): \(command.arguments)")
    }
    for (line, word) in [
      ("nowhere", "nowhere"), ("queue drop ID", "drop"), ("load --settle 3", "--settle"), ("--nothing", "--nothing"),
      ("gazetteer FILE", "FILE"),
    ] {
      #expect(Self.unknownWord(in: line.split(separator: " ").map(String.init)) == word, "\(line)")
    }
    for line in ["up", "help worker", "queue ls --state STATE", "watch --feed=tcp://a:1", "conformance feed -- a --b"] {
      #expect(Self.unknownWord(in: line.split(separator: " ").map(String.init)) == nil, "\(line)")
    }
  }

  @Test(
    "A shell line gives the arguments of each call",
    arguments: [
      ("$ onthemap post --place \"Paris, TX\" --wait", [["post", "--place", "Paris, TX", "--wait"]]),
      ("A=b onthemap up … # onthemap", [["up"]]), ("onthemap a '#b' > c", [["a", "#b"]]), ("echo x", []),
      ("xz -dc a | onthemap b && onthemap c", [["b"], ["c"]]),
      ("onthemap a -- onthemap b", [["a", "--", "onthemap", "b"], ["b"]]),
      ("install .build/release/onthemap /usr/bin/onthemap", []),
    ] as [(String, [[String]])])
  func shell(line: String, arguments: [[String]]) {
    #expect(Shell.commands(in: line) == arguments)
  }

  @Test("Commands are found in fenced and indented code blocks, also over two lines")
  func found() {
    let text = """
      onthemap a

          onthemap b \\
            c

      ```
      $ onthemap d
      ```
      - e
          onthemap f
      `onthemap g
      h`
      """
    let document = Document(path: "a.md", text: text)
    #expect(document.blocks.map(\.arguments) == [["b", "c"], ["d"]])
    #expect(document.blocks.map(\.place) == ["a.md:4", "a.md:7"])
    #expect(document.spans.map(\.arguments) == [["g", "h"]])
  }
}
