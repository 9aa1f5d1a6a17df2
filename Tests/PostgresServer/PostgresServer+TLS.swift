import Foundation

/// TLS with certificates of openssl(1), and roles with passwords. All files are in the server's folder.
extension PostgresServer {
  /// Creates an authority that can sign certificates. Returns the path of its own certificate.
  package func createAuthority(_ name: String) throws -> String {
    try createCertificate(name, extensions: "basicConstraints = critical, CA:TRUE\nkeyUsage = critical, keyCertSign")
  }

  /// Turns TLS on for new connections, with a certificate for one name of a host.
  ///
  /// - Parameter authority: Path that `createAuthority` has returned.
  package func enableTLS(for host: String, signedBy authority: String) throws {
    let key = authority.replacing(".crt", with: ".key")
    let certificate = try createCertificate(
      "server", extensions: "subjectAltName = DNS:\(host)", options: ["-CA", authority, "-CAkey", key])
    try configure([
      "ssl": "on", "ssl_cert_file": certificate, "ssl_key_file": certificate.replacing(".crt", with: ".key"),
    ])
  }

  /// Creates a role that owns a database. The server demands TLS and the password from it.
  package func createRole(_ name: String, password: String, owning database: String) throws {
    let rules = folder.appending(path: "data/pg_hba.conf")
    let text = """
      hostssl all \(name) 127.0.0.1/32 scram-sha-256
      host all \(name) 127.0.0.1/32 reject

      """
    // The first rule that fits a connection counts. The file keeps its owner.
    try Data((text + String(contentsOf: rules, encoding: .utf8)).utf8).write(to: rules)
    try configure(["password_encryption": "scram-sha-256"])
    _ = try sql(
      """
      CREATE ROLE \(name) LOGIN PASSWORD \(quoted(password));
      ALTER DATABASE \(database) OWNER TO \(name);
      """)
  }

  /// Creates a key and a certificate, which signs itself without other options. Returns the certificate's path, `.crt`.
  /// The key has the same path with `.key`.
  private func createCertificate(_ name: String, extensions: String, options: [String] = []) throws -> String {
    let path = folder.appending(path: name).path
    // The machine's own configuration adds other extensions.
    let configuration = "[req]\ndistinguished_name = subject\n[subject]\n[extensions]\n\(extensions)\n"
    _ = try run(owner.command(["tee", "\(path).cnf"]), input: configuration)
    let words = [
      "openssl", "req", "-x509", "-config", "\(path).cnf", "-extensions", "extensions", "-newkey", "ec", "-pkeyopt",
      "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=\(name)", "-keyout", "\(path).key", "-out",
      "\(path).crt",
    ]
    _ = try run(owner.command(words + options))
    return "\(path).crt"
  }
}
