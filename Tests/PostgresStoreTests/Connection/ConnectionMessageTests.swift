import Testing

@testable import PostgresStore

@Suite("Messages of libpq")
struct ConnectionMessageTests {
  @Test(
    "A message becomes one line without libpq's question",
    arguments: [
      (
        "failed: Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?\n",
        "failed: Connection refused"
      ),
      (
        "failed: No such file\n\tIs the server running locally and accepting connections on that socket?\n",
        "failed: No such file"
      ),
      (
        "a refused\n\tIs the server running on that host and accepting TCP/IP connections?\nb refused\n",
        "a refused; b refused"
      ),
      ("FATAL:  no entry\nHINT:  add one\n", "FATAL: no entry; HINT: add one"), ("\n", ""), ("", ""),
    ])
  func line(message: String, line: String) { #expect(PostgresConnector.line(message) == line) }
}
