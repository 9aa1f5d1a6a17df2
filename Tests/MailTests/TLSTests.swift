import Foundation
import Testing

@testable import Mail

@Suite("TLS to the mail server")
struct TLSTests {
  /// A mail server for one connection, in Python. It prints its port, and then the result of the TLS handshake.
  private static let server = """
    import socket, ssl, sys

    with socket.create_server(("127.0.0.1", 0)) as listener:
        print(listener.getsockname()[1], flush=True)
        client, _ = listener.accept()
    if sys.argv[1] == "smtp":
        for reply in b"220 stub", b"250-stub\\r\\n250-AUTH PLAIN\\r\\n250 STARTTLS", b"220 go on":
            client.sendall(reply + b"\\r\\n")
            if not reply.startswith(b"220 go"):
                client.recv(1000)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain("certificate.pem", "key.pem")
    try:
        with context.wrap_socket(client, server_side=True) as encrypted:
            print("received", encrypted.recv(1000))
    except ssl.SSLError as error:
        print("refused", error.reason)
    """

  private func process(_ words: [String], in folder: URL, output: Pipe) throws -> Process {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    process.currentDirectoryURL = folder
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  @Test("A server with an untrusted certificate gets neither the login nor a mail", arguments: ["smtp", "smtps"])
  func untrusted(scheme: String) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "onthemap-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // The certificate is for the right address, so only its signature is wrong.
    let openssl = try process(
      [
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
        "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out", "certificate.pem",
      ], in: folder, output: Pipe())
    openssl.waitUntilExit()
    try #require(openssl.terminationStatus == 0)
    let output = Pipe()
    let python = try process(["python3", "-c", Self.server, scheme], in: folder, output: output)
    defer { python.terminate() }
    let port = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).filter(\.isNumber)

    let server = try SMTPServer(
      url: "\(scheme)://127.0.0.1:\(port)", isPlaintext: false, user: "map", password: "hunter2")
    let connection = SMTPConnection(to: server, sender: try #require(MailAddress("map@example.org")))
    let failure = #expect(throws: MailFailure.self) { try connection.check() }
    #expect(failure?.stage == .encryption && failure?.isTemporary == false, "\(failure as Any)")
    let rest = try output.fileHandleForReading.readToEnd() ?? Data()
    let result = String(decoding: rest, as: UTF8.self)
    #expect(result.hasSuffix("refused TLSV1_ALERT_UNKNOWN_CA\n") && !result.contains("received"), "\(result)")
  }
}
