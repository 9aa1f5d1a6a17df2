import Foundation
import Testing

/// Examples in other languages than Python: the checks that need no feed. Tests/SystemTests/Tools/ConsumerTests.swift
/// has the checks with a feed.
@Suite("Examples in C, Node and shell")
struct NativeExampleTests {
  private let subscriber = DeployFile("deploy/examples/c/subscriber_level0.c")

  @Test(
    "The C subscriber compiles with its documented command and without warnings",
    .enabled(if: Program.cCompiler != nil, "there is no C compiler here"))
  func compiles() throws {
    let compiler = try #require(Program.cCompiler)
    func rule(_ file: DeployFile) throws -> [String] {
      guard let line = file.matches(of: #"^ \*\s+cc (.*)$"#).first else {
        return ["it does not document its compiler command."]
      }
      return try Deployment.withFolder { folder in
        try Data(file.text.utf8).write(to: folder.appending(path: "subscriber_level0.c"))
        let words = ["-Wextra", "-Wpedantic", "-Werror"] + line.split(separator: " ").map(String.init)
        let (status, output) = try compiler.run(words, at: folder)
        return status == 0 ? [] : [output]
      }
    }
    try enforce(
      [subscriber], to: rule,
      bad: [
        subscriber.with("cc -O2", replacedBy: "cd -O2"),
        subscriber.with("int parts = 0;", replacedBy: "int parts = 0, a;"),
      ])
  }

  @Test(
    "The C subscriber accepts the golden frame and reads no byte outside any mutated frame",
    .enabled(if: Program.cCompiler != nil, "there is no C compiler here"))
  func fuzzed() throws {
    let compiler = try #require(Program.cCompiler)
    let golden = DeployFile("proto/golden/onthemap.feed.v1/FeedFrame.snapshot.hex").text.filter { !$0.isNewline }
    func rule(_ file: DeployFile) throws -> [String] {
      try Deployment.withFolder { folder in
        try Data(file.text.utf8).write(to: folder.appending(path: "subscriber_level0.c"))
        try Data(Self.fuzzer.utf8).write(to: folder.appending(path: "fuzz.c"))
        let result = try compiler.run(
          [
            "-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-o", "fuzz", "fuzz.c", "-lzmq",
          ], at: folder)
        guard result.status == 0 else { return [result.output] }
        let (status, output) = try Program(folder.appending(path: "fuzz")).run([golden], at: folder)
        let line = "seq 1027: 2 posts, newest: Ana Mora, Costa Rica: https://example.org/ana\n"
        return status == 0 && output.hasPrefix(line) && output.hasSuffix(" accepted\n") ? [] : [output]
      }
    }
    try enforce(
      [subscriber], to: rule,
      bad: [
        subscriber.with(" || field->value > length(*from)", replacedBy: ""),
        subscriber.with("    if (from->at == from->end) return false;\n", replacedBy: ""),
        subscriber.with("  if (length(*from) < size) return false;\n", replacedBy: ""),
        subscriber.with("return length(entry->id) == ID_BYTES;", replacedBy: "return true;"),
        subscriber.with("return snapshot->hash == expected;", replacedBy: "return snapshot->hash != expected;"),
      ])
  }

  /// A fuzzer that includes the example without its `main`. Each frame ends where its allocation ends.
  private static let fuzzer = """
    #define main subscriber
    #include "subscriber_level0.c"
    #undef main

    const char *__asan_default_options(void);
    const char *__asan_default_options(void) { return "detect_leaks=0"; }

    static uint64_t state = 88172645463325252u;
    static size_t below(size_t end) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      return (size_t)(state % end);
    }

    int main(int count, char **words) {
      static const uint8_t odd[] = {0, 1, 0x0A, 0x1B, 0x7F, 0x80, 0x82, 0x9B, 0xC2, 0xFF};
      size_t size = count > 1 ? strlen(words[1]) / 2 : 0;
      uint8_t *golden = malloc(size);
      for (size_t index = 0; index < size; index++) {
        char pair[] = {words[1][2 * index], words[1][2 * index + 1], 0};
        golden[index] = (uint8_t)strtoul(pair, NULL, 16);
      }
      struct snapshot snapshot;
      if (!read_frame((struct span){golden, golden + size}, &snapshot)) return 1;
      print(&snapshot);
      FILE *nowhere = freopen("/dev/null", "w", stdout);
      size_t accepted = 0;
      for (int round = 0; round < 300000; round++) {
        size_t length = below(3) ? size : below(size + 1);
        uint8_t *frame = malloc(length);
        memcpy(frame, golden, length);
        for (size_t changes = below(5); length && changes > 0; changes--)
          frame[below(length)] = below(2) ? odd[below(sizeof odd)] : (uint8_t)below(256);
        if (read_frame((struct span){frame, frame + length}, &snapshot)) print(&snapshot), accepted++;
        free(frame);
      }
      fprintf(stderr, "%zu accepted\\n", accepted);
      free(golden);
      return nowhere == NULL || accepted < 1000;
    }
    """

  @Test(
    "The shell and Node examples parse",
    .enabled(if: Program.node != nil, "node is missing: deploy/setup.sh test installs it"))
  func parse() throws {
    let (bash, node) = (try #require(Program("bash")), try #require(Program.node))
    let programs = ["sh": (bash, "-n"), "mjs": (node, "--check")]
    func rule(_ file: DeployFile) throws -> [String] {
      try Deployment.withFolder { folder in
        let ending = file.name.split(separator: ".").last.map(String.init) ?? ""
        guard let (program, option) = programs[ending] else { return ["nothing reads .\(ending)."] }
        try Data(file.text.utf8).write(to: folder.appending(path: file.name))
        let (status, output) = try program.run(option, file.name, at: folder)
        return status == 0 ? [] : [output]
      }
    }
    let files = ["curl/latest.sh", "curl/stream.sh", "node/stream.mjs"].map { DeployFile("deploy/examples/\($0)") }
    try enforce(
      files, to: rule,
      bad: [files[0].with("esac", replacedBy: "esc"), files[2].with("for (;;) {", replacedBy: "for (;;) {{")])
  }
}
