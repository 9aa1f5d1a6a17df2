import Dispatch
import Foundation
import Logging
import Messaging
import ServiceLifecycle

/// Display of the feed, until a signal or until everything that the user requested is shown.
struct WatchService: Service {
  /// Feeds of the same list. The next one is used if one fails.
  let feeds: [Endpoint]
  let curve: CurveClient?
  let screen: WatchScreen
  /// True if a table is redrawn in place, at least once a second.
  let isTable: Bool
  let form: any WatchFormat
  let logger: Logger

  /// Runs until a signal or the end of the output.
  ///
  /// - Throws: `LinkError` if the address cannot be used.
  func run() async throws {
    let mailbox = FeedEventQueue()
    let (reactor, _) = try Reactor.start("watch", wake: WakeupEvent()) { [feeds, curve, logger] context in
      (
        sockets: [try FeedSubscriber(context, connect: feeds, curve: curve, logger: logger) { mailbox.enqueue($0) }],
        value: ()
      )
    }
    defer { reactor.stop() }
    let resized = DispatchSource.makeSignalSource(signal: SIGWINCH)
    resized.setEventHandler { mailbox.wake() }
    resized.resume()
    defer { resized.cancel() }
    await cancelWhenGracefulShutdown {
      await withDiscardingTaskGroup { group in
        group.addTask {
          while !Task.isCancelled {
            mailbox.wake()
            try? await Task.sleep(for: ToolLimits.watchTick)
          }
        }
        await show(mailbox)
        group.cancelAll()
      }
    }
  }

  private func show(_ mailbox: FeedEventQueue) async {
    var form = form
    var begun: ContinuousClock.Instant? = .now
    if isTable { screen.begin() }
    defer { if isTable { screen.end() } }
    for await _ in mailbox.rings {
      if screen.hasNoReader { return }
      let news = mailbox.drain()
      if isTable || !news.isEmpty {
        guard screen.write(form.text(for: news, moment)) else { return }
        for remark in form.drainRemarks() { printError(remark) }
        if form.isDone { return }
      }
      if !news.isEmpty { begun = nil }
      if !isTable, let start = begun, start.duration(to: .now) > ToolLimits.watchSilence {
        printError("waiting for the feed at \(feeds.map(\.description).joined(separator: ", "))")
        begun = nil
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
