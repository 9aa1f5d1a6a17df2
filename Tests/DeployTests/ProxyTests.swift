import Foundation
import Testing

@Suite("Reverse proxies in front of gateways and a feed")
struct ProxyTests {
  private let nginx = DeployFile("deploy/proxies/nginx.conf")
  private let haproxy = DeployFile("deploy/proxies/haproxy.cfg")
  private let caddy = DeployFile("deploy/proxies/Caddyfile")

  @Test("nginx accepts its configuration")
  func acceptedByNginx() throws {
    let program = try #require(Program.nginx)
    // The file belongs to the http block. The paths of temporary files are relative to the folder.
    let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \($0);" }
    let main =
      "pid nginx.pid;\nevents {}\nhttp {\naccess_log off;\n\(paths.joined(separator: "\n"))\ninclude site.conf;\n}\n"
    try enforce(
      [nginx],
      to: { file in
        try refusal(of: file, as: "site.conf") { folder in
          try Data(main.utf8).write(to: folder.appending(path: "nginx.conf"))
          return try program.run(
            "-t", "-q", "-e", "stderr", "-p", folder.path, "-c", folder.appending(path: "nginx.conf").path)
        }
      }, bad: [nginx.with("proxy_buffering off", replacedBy: "proxy_bufering off")])
  }

  @Test("HAProxy accepts its configuration", .enabled(if: Program.haproxy != nil, "haproxy is not installed"))
  func acceptedByHAProxy() throws {
    let program = try #require(Program.haproxy)
    try enforce(
      [haproxy],
      to: { file in
        try refusal(of: file, as: "haproxy.cfg") {
          try program.run("-c", "-q", "-f", $0.appending(path: "haproxy.cfg").path)
        }
      }, bad: [haproxy.with("balance leastconn", replacedBy: "balance leastcon")])
  }

  @Test("Caddy accepts its configuration", .enabled(if: Program.caddy != nil, "caddy is not installed"))
  func acceptedByCaddy() throws {
    let program = try #require(Program.caddy)
    try enforce(
      [caddy],
      to: { file in
        // Caddy begins its health checks, so let it find nothing outside of this machine.
        let local = DeployFile(file.path, file.text.replacing(#/\b10\.0\.0\.\d+/#, with: "127.0.0.1"))
        return try refusal(of: local, as: "Caddyfile") {
          try program.run("validate", "--adapter", "caddyfile", "--config", $0.appending(path: "Caddyfile").path)
        }
      }, bad: [caddy.with("lb_policy", replacedBy: "lb_polcy")])
  }

  /// Returns the error of a proxy for a file, with certificates in place of the file's own.
  private func refusal(
    of file: DeployFile, as name: String, by run: (URL) throws -> (status: Int32, output: String)
  ) throws -> [String] {
    let openssl = try #require(Program.openssl)
    return try Deployment.withFolder { folder in
      let (made, log) = try openssl.run(
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=localhost",
        "-keyout", "pair.key", "-out", "pair.pem", at: folder)
      try #require(made == 0, "\(log)")
      // HAProxy reads certificate and key from one file, and nginx ignores the key in the certificate's file.
      let pair = try ["pair.pem", "pair.key"].map { try Data(contentsOf: folder.appending(path: $0)) }
      try (pair[0] + pair[1]).write(to: folder.appending(path: "pair.pem"))
      let text = file.text.replacing(#/\/etc\/(?:nginx|haproxy)\/[a-z.]+\.(pem|key)/#) {
        folder.appending(path: "pair.\($0.1)").path
      }
      try Data(text.utf8).write(to: folder.appending(path: name))
      let (status, output) = try run(folder)
      return status == 0 ? [] : [output]
    }
  }

  @Test("Every proxy replaces the client's address, waits as long as a gateway, and repeats nothing that was sent")
  func rules() {
    let needed = [
      "nginx.conf": [
        "proxy_set_header X-Forwarded-For $remote_addr;", "proxy_read_timeout 75s;", "proxy_buffering off;",
        "proxy_next_upstream error timeout;", "server 10.0.0.5:8090 ", "server 10.0.0.3:8081;",
      ],
      "haproxy.cfg": [
        "http-request set-header X-Forwarded-For %[src]", "timeout server 75s", "retry-on conn-failure",
        "uri /readyz ", "port 9467 check inter 5s fall 4 ", "10.0.0.5:8090", "10.0.0.3:8081",
      ],
      "Caddyfile": [
        "response_header_timeout 75s", "flush_interval -1", "health_uri /readyz", "health_port 9467",
        "health_interval 5s", "health_fails 4", "10.0.0.5:8090 ", "10.0.0.3:8081 ",
      ],
    ]
    func rule(_ file: DeployFile) -> [String] {
      let missing = needed[file.name, default: []].filter { !file.text.contains($0) }.map { "\($0) is missing." }
      // Each of these would repeat a post that has no idempotency key, or believe a client about its address.
      let unsafe = ["non_idempotent", "retry-on all", "lb_retry_match", "$http_x_forwarded_for", "$proxy_add_x"]
      return missing + unsafe.filter { file.text.contains($0) }.map { "\($0) is unsafe here." }
    }
    enforce(
      [nginx, haproxy, caddy], to: rule,
      bad: [
        nginx.with("error timeout;", replacedBy: "error timeout non_idempotent;"),
        nginx.with("X-Forwarded-For $remote_addr", replacedBy: "X-Forwarded-For $proxy_add_x_forwarded_for"),
        haproxy.with("fall 4", replacedBy: "fall 1"), caddy.with("flush_interval -1", replacedBy: ""),
      ])
  }
}
