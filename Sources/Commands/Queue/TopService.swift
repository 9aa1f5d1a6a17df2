import Domain
import Glibc
import Messaging
import ServiceLifecycle

/// Display of ingest's status, updated each second. It ends after a signal, the key q, or `count` samples.
struct TopService: Service {
  /// The format of the output.
  enum Format { case table, lines, json }

  let endpoint: Endpoint
  let connection: AdminConnection
  let screen: WatchScreen
  let format: Format
  let isColoured: Bool
  /// Number of samples before the end.
  let count: Int

  func run() async throws {
    defer { connection.close() }
    let keys = format == .table ? Keyboard() : nil
    let pressed = keys?.pressed
    if format == .table { screen.begin() }
    defer {
      if format == .table { screen.end() }
      keys?.restore()
    }
    await cancelWhenGracefulShutdown {
      await withTaskGroup(of: Void.self) { group in
        if let pressed {
          group.addTask { for await key in pressed where key == UInt8(ascii: "q") { return } }
        }
        group.addTask { await show() }
        await group.next()
        group.cancelAll()
      }
    }
  }

  private func show() async {
    var table = TopTable(address: "\(endpoint)", isColoured: isColoured)
    var next = ContinuousClock.now
    for sample in 0..<count {
      if sample > 0 {
        next = max(next + ToolLimits.topInterval, .now)
        guard (try? await Task.sleep(until: next)) != nil else { return }
      }
      let result = await fetchStatus()
      guard !Task.isCancelled, screen.write(text(result, &table)) else { return }
    }
  }

  private func fetchStatus() async -> Result<QueueStatus, any Error> {
    do {
      guard case .status(let status) = try await connection.send(.status) else { throw SettingError.unexpectedReply }
      return .success(status)
    } catch { return .failure(error) }
  }

  private func text(_ result: Result<QueueStatus, any Error>, _ table: inout TopTable) -> String {
    let unixMs = now()
    switch (format, result) {
    case (.table, _):
      let size = screen.size
      return table.text(for: result, RenderContext(unixMs: unixMs, rows: size.rows, columns: size.columns))
    case (_, .failure(let error)):
      printError("\(error)")
      return ""
    case (.lines, .success(let status)): return QueueText(status, unixMs: unixMs).line + "\n"
    case (.json, .success(let status)): return QueueJSON.status(status) + "\n"
    }
  }
}
