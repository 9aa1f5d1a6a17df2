import Dispatch
import Foundation
import Logging
import Messaging
import ServiceLifecycle

/// Display of the feed, until a signal or until everything that the user requested is shown.
struct WatchService: Service {
  /// Feeds of the same list. A random one is used first, so that many users spread over the feeds.
  let feeds: [Endpoint]
  let curve: CurveClient?
  let screen: WatchScreen
  /// True if a table is redrawn in place, at least once a second.
  let isTable: Bool
  let format: any WatchFormat
  let logger: Logger

  /// Runs until a signal or the end of the output.
  ///
  /// - Throws: `LinkError` if the address cannot be used.
  func run() async throws {
    let queue = FeedEventQueue()
    let (reactor, _) = try Reactor.start("watch", wake: WakeupEvent()) { [feeds, curve, logger] context in
      (
        sockets: [
          try FeedSubscriber(context, connect: feeds, startsAnywhere: true, curve: curve, logger: logger) {
            queue.enqueue($0)
          }
        ],
        value: ()
      )
    }
    defer { reactor.stop() }
    let resized = DispatchSource.makeSignalSource(signal: SIGWINCH)
    resized.setEventHandler { queue.wake() }
    resized.resume()
    defer { resized.cancel() }
    await cancelWhenGracefulShutdown {
      await withDiscardingTaskGroup { group in
        group.addTask {
          while !Task.isCancelled {
            queue.wake()
            try? await Task.sleep(for: ToolLimits.watchTick)
          }
        }
        await show(queue)
        group.cancelAll()
      }
    }
  }

  private func show(_ queue: FeedEventQueue) async {
    var format = format
    var silentSince: ContinuousClock.Instant? = .now
    if isTable { screen.begin() }
    defer { if isTable { screen.end() } }
    for await _ in queue.wakeUps {
      if screen.hasNoReader { return }
      let events = queue.drain()
      if isTable || !events.isEmpty {
        guard screen.write(format.text(for: events, moment)) else { return }
        for remark in format.drainRemarks() { printError(remark) }
        if format.isDone { return }
      }
      if !events.isEmpty { silentSince = nil }
      if !isTable, let start = silentSince, start.duration(to: .now) > ToolLimits.watchSilence {
        printError("waiting for the feed at \(feeds.map(\.description).joined(separator: ", "))")
        silentSince = nil
      }
      if isTable { try? await Task.sleep(for: ToolLimits.watchFrame) }
    }
  }

  private var moment: RenderContext {
    let size = isTable ? screen.size : ToolLimits.windowDefault
    return RenderContext(
      unixMs: Int64(Date().timeIntervalSince1970 * 1_000), rows: size.rows, columns: size.columns)
  }
}
