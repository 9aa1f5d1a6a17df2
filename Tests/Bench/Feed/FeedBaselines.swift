import Foundation

/// Baselines of the feed: a bare libzmq publisher, mosquitto and nginx.
struct FeedBaselines {
  /// Figures of a publisher with the same 1,000 subscribers.
  struct Fanout: Decodable {
    let p50Ms: Double
    let p99Ms: Double
    let joinP99Ms: Double
    let deliveriesPerSecond: Double

    enum CodingKeys: String, CodingKey {
      case p50Ms = "wave_p50_ms"
      case p99Ms = "wave_p99_ms"
      case joinP99Ms = "join_p99_ms"
      case deliveriesPerSecond = "deliveries_s"
    }
  }

  private let folder: URL
  private let source: String
  private let program: String

  /// Compiles the publisher. Nil if YARDSTICKS is not set.
  init?(folder: URL) throws {
    guard let path = ProcessInfo.processInfo.environment["YARDSTICKS"], !path.isEmpty else { return nil }
    self.folder = folder
    source = path
    program = folder.appendingPathComponent("fanout").path
    _ = try output(of: "g++", ["-O2", "-std=c++17", "-o", program, path + "/src/fanout.cpp", "-lzmq"])
  }

  /// Measures raw libzmq with one message in flight.
  func snapshots(bytes: Int, seconds: Int) throws -> Fanout {
    try fanout(
      output(
        of: program, ["kind=zmq", "n=1000", "size=\(bytes)", "window=1", "secs=\(seconds)", "join=150"]))
  }

  /// Measures raw libzmq with messages of 200 bytes.
  ///
  /// - Parameter window: Number of messages in flight.
  func deltas(window: Int = 8, seconds: Int) throws -> Fanout {
    try fanout(output(of: program, ["kind=zmq"] + FeedBaselines.deltas(window: window, seconds)))
  }

  /// Measures mosquitto with messages of 200 bytes. Nil if mosquitto is not installed.
  func mosquittoDeltas(seconds: Int) throws -> Fanout? {
    let run = """
      import os, subprocess, sys, servers
      server = servers.Mosquitto().start()
      try: subprocess.run(sys.argv[1:] + [f"port={server.port}", f"pid={server.pid}"], check=True)
      finally: server.stop()
      """
    let words = [program, "kind=mqtt"] + FeedBaselines.deltas(seconds)
    return try beside("mosquitto", run, words).map(fanout)
  }

  /// Measures GETs per second of a file from nginx over 64 connections. Nil if nginx with nchan is not installed.
  func nginx(document: URL, seconds: Int) throws -> Double? {
    guard FileManager.default.fileExists(atPath: "/usr/lib/nginx/modules/ngx_nchan_module.so") else {
      note("nginx with nchan is not installed: not measured")
      return nil
    }
    let run = """
      import shutil, subprocess, sys, servers
      server = servers.Nginx().start()
      try:
        shutil.copy(sys.argv[1], server.dir + "/html/latest.json")
        address = f"http://127.0.0.1:{server.port}/latest.json"
        subprocess.run(["wrk", "-t1", "-c64", f"-d{sys.argv[2]}s", address], check=True)
      finally: server.stop()
      """
    guard let text = try beside("nginx", run, [document.path, "\(seconds)"]) else { return nil }
    let line = text.split(separator: "\n").first { $0.hasPrefix("Requests/sec:") }
    guard let rate = line?.split(separator: " ").last.flatMap({ Double($0) }) else {
      throw BenchError("wrk printed no figures: \(text)")
    }
    return rate
  }

  private static func deltas(window: Int = 8, _ seconds: Int) -> [String] {
    ["n=1000", "size=200", "window=\(window)", "secs=\(seconds)"]
  }

  private func fanout(_ text: String) throws -> Fanout {
    guard let line = text.split(separator: "\n").last(where: { $0.hasPrefix("{") }) else {
      throw BenchError("the baseline of the feed printed no figures: \(text)")
    }
    return try JSONDecoder().decode(Fanout.self, from: Data(line.utf8))
  }

  /// Runs Python code that starts a server with the baselines' library. Nil if the server is not installed.
  private func beside(_ server: String, _ python: String, _ words: [String]) throws -> String? {
    let found = ["/usr/sbin/", "/usr/bin/", "/usr/local/bin/"].contains {
      FileManager.default.isExecutableFile(atPath: $0 + server)
    }
    guard found else {
      note("\(server) is not installed: not measured")
      return nil
    }
    let environment = [
      "PERF_DIR=\(folder.path)/perf", "PYTHONPATH=\(source)", "PYTHONDONTWRITEBYTECODE=1",
      "PATH=/usr/sbin:" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"),
    ]
    return try output(of: "env", environment + ["python3", "-c", python] + words)
  }
}
