import Domain
import Foundation
import Testing

@testable import PostgresStore

@Suite("Addresses of PostgreSQL")
struct PostgresAddressTests {
  private static let example =
    "postgresql://onthemap@db1.example.org:5433,db2.example.org/map?sslmode=verify-ca&sslrootcert=/etc/ssl/ca.pem"

  private func address(_ text: String) throws -> PostgresAddress { try PostgresAddress(text, passwordFile: nil) }

  /// Returns the keywords for a connection, each once.
  private func keywords(_ text: String, for host: Int? = nil) throws -> [String: String] {
    let address = try address(text)
    let keywords = try address.keywords(
      for: host.map { address.hosts[$0] }, sessionOptions: "-c jit=off", targetSessionAttributes: "read-write")
    #expect(Set(keywords.map(\.key)).count == keywords.count)
    return Dictionary(uniqueKeysWithValues: keywords)
  }

  @Test(
    "A URL has one or several hosts, each with a port or with the default port",
    arguments: [
      ("postgresql://db/map", ["db:5432"]), ("postgres://ana@db:1/map", ["db:1"]),
      ("postgresql://db-1.example.org:65535,10.0.0.2/map", ["db-1.example.org:65535", "10.0.0.2:5432"]),
      ("postgresql://[::1]:5433,[fd00::1]/map", ["[::1]:5433", "[fd00::1]:5432"]),
      ("postgresql://%2Frun%2Fpostgresql:5433/map", ["%2Frun%2Fpostgresql:5433"]),
      ("postgresql://db:5432,db:5433/map", ["db:5432", "db:5433"]),
      ("postgresql://" + (1...8).map { "db\($0)" }.joined(separator: ",") + "/map", (1...8).map { "db\($0):5432" }),
    ])
  func hosts(text: String, hosts: [String]) throws {
    #expect(try address(text).hosts.map(\.description) == hosts)
  }

  @Test("The names of the role and the database are percent-decoded, and the role is optional")
  func names() throws {
    let address = try address("postgresql://an%61%40b@db/m%2Fa%3F%C3%BC")
    #expect(address.user == "ana@b" && address.database == "m/a?ü")
    #expect(try self.address("postgresql://db/map").user == nil)
  }

  @Test(
    "TLS verifies the server by default, unless every host is on this machine",
    arguments: [
      ("postgresql://db/map", "verify-full"), ("postgresql://10.0.0.1/map", "verify-full"),
      ("postgresql://127.0.0.1,db/map", "verify-full"), ("postgresql://localhost.example.org/map", "verify-full"),
      ("postgresql://127.0.0.1,localhost/map", "prefer"), ("postgresql://[::1],127.8.8.8/map", "prefer"),
      ("postgresql://%2Frun%2Fpostgresql/map", "prefer"), ("postgresql://db/map?sslmode=disable", "disable"),
      ("postgresql://LOCALHOST/map?sslmode=verify-full", "verify-full"),
    ])
  func tls(text: String, mode: String) throws {
    #expect(try address(text).tlsMode == mode)
    #expect(try keywords(text)["sslmode"] == mode)
  }

  @Test(
    "A URL that breaks a rule is refused with the reason",
    arguments: [
      ("mysql://db/map", "does not begin with postgresql://"), ("", "does not begin with postgresql://"),
      ("host=db dbname=map", "does not begin with postgresql://"), ("postgresql:///map", "host without a name"),
      ("postgresql://db,/map", "host without a name"), ("postgresql://ana@/map", "host without a name"),
      ("postgresql://db", "has no database"), ("postgresql://db/", "has no database"),
      ("postgresql://db?sslmode=require", "has no database"), ("postgresql://db/a/b", "contains a slash"),
      ("postgresql://db:0/map", "a number from 1 to 65535"), ("postgresql://db:65536/map", "a number from 1 to 65535"),
      ("postgresql://db:/map", "a number from 1 to 65535"), ("postgresql://db:+1/map", "a number from 1 to 65535"),
      ("postgresql://[::1]5432/map", "a number from 1 to 65535"), ("postgresql://fd00::1/map", "without brackets"),
      ("postgresql://[::1/map", "must be an IPv6 address"), ("postgresql://[127.0.0.1]/map", "must be an IPv6 address"),
      ("postgresql://a b/map", "must be a name or an IP address, not \"a b\""),
      ("postgresql://a%3Ab/map", "must be a name or an IP address"), ("postgresql://dß/map", "must be a name or"),
      ("postgresql://\(String(repeating: "a", count: 254))/map", "must be a name or an IP address"),
      ("postgresql://%2F\(String(repeating: "a", count: 93))/map", "at most 107 bytes"),
      ("postgresql://%2Frun%2Ca/map", "must have no comma"),
      ("postgresql://d%zzb/map", "host in the URL has an invalid"),
      ("postgresql://db,db:5432/map", "contains db:5432 twice"), ("postgresql://%@db/map", "user in the URL has an"),
      ("postgresql://@db/map", "user in the URL must have 1 to 63 bytes, not 0"),
      ("postgresql://db/\(String(repeating: "a", count: 64))", "database in the URL must have 1 to 63 bytes, not 64"),
      ("postgresql://db/a%00", "database in the URL has an invalid"), ("postgresql://db/a%FF", "invalid"),
      ("postgresql://db/a@b", "Write the sign as %40"), ("postgresql://db/map?", "is not NAME=value"),
      ("postgresql://" + (1...9).map { "db\($0)" }.joined(separator: ",") + "/map", "has 9 hosts. Name at most 8."),
      ("postgresql://db/" + String(repeating: "a", count: Limits.postgresURLBytesMax), "Write at most 4096 bytes."),
    ])
  func invalid(text: String, reason: String) throws {
    let error = #expect(throws: PostgresAddressError.self) { try address(text) }
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
  }

  @Test(
    "A password in the URL is refused, and the error does not repeat any part of it",
    arguments: [
      "postgresql://ana:hunter2@db/map", "postgresql://ana:@db/map", "postgresql://ana:hunter2@x@db/map",
      "postgresql://ana:hunter2#hunter2@db/map", "postgresql://ana:hunter2/hunter2@db/map",
      "postgresql://ana:1/hunter2@db/map", "postgresql://ana:1?hunter2=1@db/map", "postgresql://ana:hunter2,x@db/map",
      "postgresql://ana@db/map?password=hunter2", "postgresql://ana@db/map?sslpassword=hunter2",
      "postgres://ana:hunter2@db",
    ])
  func password(text: String) throws {
    let error = #expect(throws: PostgresAddressError.self) { try address(text) }
    let description = try #require(error?.description)
    #expect(description.contains("--store-password-file") && !description.contains("hunter2"))
  }

  @Test(
    "A parameter with an allowed value reaches libpq",
    arguments: [
      ("sslmode", "allow"), ("sslrootcert", "/etc/ssl/ca.pem"), ("channel_binding", "require"),
      ("connect_timeout", "1"),
      ("connect_timeout", "60"), ("application_name", "map 1"), ("tcp_user_timeout", "1000"),
      ("tcp_user_timeout", "600000"),
    ])
  func parameters(name: String, value: String) throws {
    #expect(try keywords("postgresql://db/map?\(name)=\(value)")[name] == value)
  }

  @Test("The certificate and the key of the client are set together, with percent-encoded paths")
  func certificate() throws {
    let both = try keywords("postgresql://db/map?sslcert=%2Fetc/a%40b.pem&sslkey=/etc/a.key")
    #expect(both["sslcert"] == "/etc/a@b.pem" && both["sslkey"] == "/etc/a.key")
    for parameter in ["sslcert", "sslkey"] {
      let error = #expect(throws: PostgresAddressError.self) { try address("postgresql://db/map?\(parameter)=/a") }
      #expect(error?.description == "only one of sslcert and sslkey is set. Set both or neither.")
    }
  }

  @Test(
    "A parameter that is unknown, repeated or has another value is refused by its name",
    arguments: [
      ("sslmode=on", "sslmode must be one of disable, allow, prefer, require, verify-ca, verify-full, not \"on\"."),
      ("sslmode=", "sslmode must be one of"), ("SSLMODE=require", "unknown parameter SSLMODE"),
      ("sslrootcert=ca.pem", "sslrootcert must be the absolute path of a file, not \"ca.pem\"."),
      ("sslkey=/etc/", "sslkey must be the absolute path"), ("sslcert=%2", "sslcert must be the absolute path"),
      ("channel_binding=yes", "channel_binding must be one of disable, prefer, require"),
      ("connect_timeout=0", "connect_timeout must be seconds, a number from 1 to 60, not \"0\"."),
      ("connect_timeout=61", "a number from 1 to 60"), ("connect_timeout=%2B2", "a number from 1 to 60"),
      ("connect_timeout=", "a number from 1 to 60"), ("application_name=", "1 to 63 printable ASCII characters"),
      ("application_name=M%C3%BC", "1 to 63 printable ASCII characters"),
      ("tcp_user_timeout=999", "milliseconds, a number from 1000 to 600000"),
      ("sslmode=require&sslmode=require", "contains sslmode twice"), ("sslmode", "is not NAME=value"),
      ("target_session_attrs=any", "because the program sets it"),
      ("options=-c%20fsync=off", "unknown parameter options"),
      ("host=/run/postgresql", "unknown parameter host. Allowed are: sslmode, sslrootcert, sslcert, sslkey, "),
      ("ssl=true", "channel_binding, connect_timeout, application_name, tcp_user_timeout."),
    ])
  func refusedParameters(query: String, reason: String) throws {
    let error = #expect(throws: PostgresAddressError.self) { try address("postgresql://db/map?" + query) }
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
  }

  @Test("The keywords for libpq have all hosts and the values of the URL, and defaults for the others")
  func defaults() throws {
    #expect(
      try keywords(Self.example) == [
        "host": "db1.example.org,db2.example.org", "port": "5433,5432", "dbname": "map", "user": "onthemap",
        "sslmode": "verify-ca", "sslrootcert": "/etc/ssl/ca.pem", "connect_timeout": "2", "gssencmode": "disable",
        "application_name": "onthemap", "tcp_user_timeout": "6000", "keepalives": "1", "keepalives_idle": "5",
        "keepalives_interval": "2", "keepalives_count": "3", "client_encoding": "UTF8",
        "target_session_attrs": "read-write", "options": "-c jit=off",
      ])
  }

  @Test("The keywords for one host have its name without brackets or encoding, and the mode of TLS of all hosts")
  func oneHost() throws {
    let text = "postgresql://%2Frun%2Fpg,[::1]:5433,db/map"
    for (index, host, port) in [(0, "/run/pg", "5432"), (1, "::1", "5433"), (2, "db", "5432")] {
      let keywords = try keywords(text, for: index)
      #expect(keywords["host"] == host && keywords["port"] == port && keywords["sslmode"] == "verify-full")
    }
  }

  @Test("The timeout of a connection attempt is two seconds, or the URL's")
  func timeout() throws {
    #expect(try address("postgresql://db/map").connectMs == 2_000)
    #expect(try address("postgresql://db/map?connect_timeout=60").connectMs == 60_000)
  }

  @Test("The description is a URL of the same database, without paths of secrets")
  func description() throws {
    let address = try PostgresAddress(
      "postgres://an%40a@[::1],%2Frun%2Fpg:5433/m%3Fp?sslmode=require&sslcert=/c&sslkey=/k", passwordFile: "/secret")
    #expect(address.description == "postgresql://an%40a@[::1]:5432,%2Frun%2Fpg:5433/m%3Fp?sslmode=require")
    let again = try self.address(address.description)
    #expect(again.hosts == address.hosts && again.user == address.user && again.database == address.database)
    #expect(again != address)
  }
}

@Suite("The password of PostgreSQL")
final class PostgresPasswordTests {
  private let path = FileManager.default.temporaryDirectory.appending(path: "onthemap-\(UUID().uuidString)").path

  deinit { try? FileManager.default.removeItem(atPath: path) }

  private func write(_ bytes: some Sequence<UInt8>, mode: Int = 0o600) throws {
    try Data(bytes).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  /// Returns the password for a connection. Nil if there is none.
  private func password(file: String?) throws -> String? {
    let address = try PostgresAddress("postgresql://db/map", passwordFile: file)
    let keywords = try address.keywords(sessionOptions: "", targetSessionAttributes: "any")
    return keywords.first { $0.key == "password" }?.value
  }

  @Test(
    "A password file gives its text without the last newline",
    arguments: [("hunter2", "hunter2"), (" hunter 2 \n", " hunter 2 "), ("hünter\r\n", "hünter"), ("a\n\n", "a")])
  func texts(text: String, password: String) throws {
    try write(text.utf8)
    #expect(try self.password(file: path) == password)
    #expect(try self.password(file: nil) == nil)
  }

  @Test("Each connection reads the file again, so that a password can be rotated")
  func rotation() throws {
    try write("old".utf8)
    let address = try PostgresAddress("postgresql://db/map", passwordFile: path)
    for password in ["old", "new"] {
      try write(password.utf8)
      let keywords = try address.keywords(sessionOptions: "", targetSessionAttributes: "any")
      #expect(keywords.contains { $0 == ("password", password) })
    }
  }

  @Test(
    "An empty password file, one of several lines, and one of other bytes is refused with its path",
    arguments: [
      ([], "is empty"), (Array("\n\n".utf8), "is empty"), (Array("a\nb".utf8), "must contain one line"),
      ([97, 0], "must contain one line"), ([0xFF], "must contain one line"),
      ([UInt8](repeating: 97, count: Limits.postgresPasswordFileBytesMax + 1), "has more than 16384 bytes"),
    ] as [([UInt8], String)])
  func refused(bytes: [UInt8], reason: String) throws {
    try write(bytes)
    let error = #expect(throws: PostgresAddressError.self) { try password(file: path) }
    #expect(error?.description.contains("\(path) \(reason)") == true, "\(error?.description ?? "")")
  }

  @Test("A password of the maximum size is accepted")
  func longest() throws {
    try write([UInt8](repeating: 97, count: Limits.postgresPasswordFileBytesMax))
    #expect(try password(file: path)?.utf8.count == Limits.postgresPasswordFileBytesMax)
  }

  @Test("A password file that others can access is refused, except a file of root for its group")
  func access() throws {
    for mode in [0o604, 0o602, 0o601, 0o660, 0o620] {
      try write("hunter2".utf8, mode: mode)
      let error = #expect(throws: PostgresAddressError.self, "\(String(mode, radix: 8))") { try password(file: path) }
      #expect(error?.description.contains("chmod 600 \(path)") == true)
    }
    try write("hunter2".utf8, mode: 0o640)
    #expect((try? password(file: path)) == (geteuid() == 0 ? "hunter2" : nil))
  }

  @Test("A missing password file, and a folder, are refused with the reason")
  func missing() throws {
    let missing = #expect(throws: PostgresAddressError.self) { try password(file: path) }
    #expect(missing?.description.contains("cannot read the password file \(path): No such file") == true)
    let folder = #expect(throws: PostgresAddressError.self) { try password(file: "/tmp") }
    #expect(folder?.description.contains("/tmp is not a regular file") == true)
  }

  @Test("The check of the files finds a missing certificate, and an unusable password file")
  func files() throws {
    try write("hunter2".utf8)
    try PostgresAddress("postgresql://db/map?sslrootcert=\(path)", passwordFile: path).checkFiles()
    let certificate = #expect(throws: PostgresAddressError.self) {
      try PostgresAddress("postgresql://db/map?sslrootcert=\(self.path).pem", passwordFile: self.path).checkFiles()
    }
    #expect(certificate?.description.contains("cannot read \(path).pem of sslrootcert: No such file") == true)
    try write([])
    #expect(throws: PostgresAddressError.self) {
      try PostgresAddress("postgresql://db/map", passwordFile: self.path).checkFiles()
    }
  }
}
