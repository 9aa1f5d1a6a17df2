import Dispatch
import Foundation
import Logging
import Messaging
import ServiceLifecycle

/// Subscribes to the feed and shows it until a signal, or until as much was shown as was asked for.
struct WatchService: Service {
  /// Between two looks at the clock: ages are counted in seconds.
  private static let tick = Duration.seconds(1)
  /// The shortest time between two drawings: more often than ten times a second nobody can see.
  private static let frame = Duration.milliseconds(100)
  /// When it is said that there is no feed, once.
  private static let patience = Duration.seconds(3)

  /// Feeds of one list; the second is asked when the first is gone.
  let feeds: [Endpoint]
  let curve: CurveClient?
  let screen: WatchScreen
  /// Drawn over itself, and again each second.
  let isTable: Bool
  let form: any WatchForm
  let logger: Logger

  /// - Throws: `LinkError` when the address cannot be used.
  func run() async throws {
    let mailbox = WatchMailbox()
    let (reactor, _) = try Reactor.start("watch", wake: Wake()) { [feeds, curve, logger] context in
      (
        stations: [try FeedSubscriber(context, connect: feeds, curve: curve, logger: logger) { mailbox.put($0) }],
        told: ()
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
            try? await Task.sleep(for: WatchService.tick)
          }
        }
        await show(mailbox)
        group.cancelAll()
      }
    }
  }

  private func show(_ mailbox: WatchMailbox) async {
    var form = form
    var begun: ContinuousClock.Instant? = .now
    if isTable { screen.begin() }
    defer { if isTable { screen.end() } }
    for await _ in mailbox.rings {
      if screen.hasNoReader { return }
      let news = mailbox.takeAll()
      if isTable || !news.isEmpty {
        guard screen.write(form.text(for: news, moment)) else { return }
        for remark in form.takeRemarks() { complain(remark) }
        if form.isDone { return }
      }
      if !news.isEmpty { begun = nil }
      if !isTable, let start = begun, start.duration(to: .now) > WatchService.patience {
        complain("waiting for the feed at \(feeds.map(\.description).joined(separator: ", "))")
        begun = nil
      }
      if isTable { try? await Task.sleep(for: WatchService.frame) }
    }
  }

  private var moment: WatchMoment {
    let size = isTable ? screen.size : (rows: 24, columns: 80)
    return WatchMoment(
      unixMs: Int64(Date().timeIntervalSince1970 * 1_000), rows: size.rows, columns: size.columns)
  }
}
