import Foundation

/// A closed loop of requests by wrk, as fast as the connections allow.
struct HTTPLoad {
  let perSecond: Double
  let p50Ms: Double
  let p99Ms: Double

  private struct Report: Decodable {
    let perSecond: Double
    let p50: Double
    let p99: Double
    let refused: Int
  }

  /// - Parameters:
  ///   - body: JSON for POST. Nil for GET.
  ///   - token: Session token, or nil for none.
  ///   - tokens: Session tokens that requests use in turn, instead of `token`.
  ///   - isBrowser: True to send the token as a cookie.
  static func run(
    url: String, body: String?, token: String?, tokens: [String] = [], isBrowser: Bool = false, connections: Int,
    seconds: Int, folder: URL
  ) throws -> HTTPLoad {
    let session = isBrowser ? ("Cookie", "otm=") : ("Authorization", "Bearer ")
    let script = folder.appendingPathComponent("requests.lua")
    try """
    \(body.map(post) ?? "")
    \(token.map { "wrk.headers[\"\(session.0)\"] = \"\(session.1)\($0)\"" } ?? "")
    \(tokens.isEmpty ? "" : inTurn(tokens))
    done = function(s, l, r)
      io.write(string.format('{"perSecond":%.1f,"p50":%.3f,"p99":%.3f,"refused":%d}\\n',
        s.requests / (s.duration / 1e6), l:percentile(50) / 1000, l:percentile(99) / 1000,
        s.errors.connect + s.errors.read + s.errors.write + s.errors.timeout + s.errors.status))
    end
    """.write(to: script, atomically: true, encoding: .utf8)
    let text = try output(
      of: "wrk", ["-t1", "-c\(connections)", "-d\(seconds)s", "--latency", "-s", script.path, url])
    guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("{") }) else {
      throw BenchError("wrk printed no figures: \(text)")
    }
    let report = try JSONDecoder().decode(Report.self, from: Data(line.utf8))
    guard report.refused == 0 else { throw BenchError("\(report.refused) requests to \(url) failed") }
    return HTTPLoad(perSecond: report.perSecond, p50Ms: report.p50, p99Ms: report.p99)
  }

  /// Returns a script that formats a request for each token before the load, because formatting costs the load's core.
  private static func inTurn(_ tokens: [String]) -> String {
    """
    local requests, last = {}, 0
    init = function()
      for _, token in ipairs({\(tokens.map { "\"\($0)\"" }.joined(separator: ","))}) do
        wrk.headers["Authorization"] = "Bearer " .. token
        requests[#requests + 1] = wrk.format()
      end
    end
    request = function()
      last = last % #requests + 1
      return requests[last]
    end
    """
  }

  private static func post(_ body: String) -> String {
    """
    wrk.method = "POST"
    wrk.headers["Content-Type"] = "application/json"
    wrk.body = [[\(body)]]
    """
  }
}
