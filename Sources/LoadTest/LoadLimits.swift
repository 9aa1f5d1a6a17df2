/// Limits of a load test.
package enum LoadLimits {
  /// Maximum number of posts of a run. The tally has a record of 32 bytes for each, 160 MB in total.
  package static let postsMax = 5_000_000
  /// Posts per second.
  package static let rateRange = 1...100_000
  /// Duration in which posts become due, in seconds: at most a day.
  package static let secondsRange = 1...86_400
  /// Number of further subscribers. Each has its own thread.
  package static let subscribersRange = 0...500
  /// Time for retries, and then for queued posts, in seconds: at most an hour.
  package static let drainTimeoutSecondsRange = 1...3_600
  /// Default time for retries, and then for queued posts, in seconds: several times as long as the restart of a
  /// service.
  package static let drainTimeoutSecondsDefault = 30
  /// Maximum number of producers over ZeroMQ. Ingest serves `Limits.submitRequestsMax` requests at a time, and would
  /// delay more.
  package static let producersMax = 64
  /// Default number of producers over ZeroMQ. Each sends `batchDefault` posts in a frame.
  package static let producersDefault = 2
  /// Default number of posts in a frame: enough to spread a frame's cost.
  package static let batchDefault = 64
  /// Maximum number of HTTP connections: a third of ingest's maximum, and as many as one machine opens in a moment.
  package static let connectionsMax = 4_096
  /// Default number of HTTP connections. With responses after 10 ms they carry 6,400 posts a second.
  package static let connectionsDefault = 64
  /// Number of files that the process may open for other uses than connections: the subscriber, requests to the store,
  /// and libraries.
  package static let filesBeside: UInt = 128
  /// Number of files of a further subscriber, for its sockets and its reactor.
  package static let filesOfSubscriber = 16
  /// Maximum number of lines of a file of places: about 250 MB if all have the maximum length.
  package static let placesMax = 1_000_000
  /// Minimum population of a city in posts. People rarely mean smaller cities, and some of those have neither a region
  /// nor a name in Latin letters.
  package static let populationMin: UInt32 = 5_000

  /// Time between the start of the run and its first post, in nanoseconds. All connections open in this time.
  package static let warmUpNs: Int64 = 250_000_000
  /// Additional warm-up time for each connection, in nanoseconds.
  package static let warmUpOfConnectionNs: Int64 = 500_000
  /// Timeout of a connect, in milliseconds.
  package static let connectMs: Int64 = 2_000
  /// Timeout of a post, in nanoseconds. The server responds after one commit. After this time, the server has lost the
  /// request, or its host is down.
  package static let responseTimeoutNs: Int64 = 15_000_000_000
  /// Delay of a post, in nanoseconds, above which the generator counts as too slow.
  package static let lateNs: Int64 = 10_000_000
  /// The first pause after a failed post, in milliseconds, and the longest one.
  package static let pauseMs: ClosedRange<Int64> = 100...2_000
  /// Maximum bytes of a response's body. Only a faulty refusal is longer.
  package static let bodyBytesMax = 65_536
  /// Maximum characters of a refusal's code in the report. Ingest's codes have fewer than 30. A proxy's reason phrase,
  /// which replaces a missing code, may have more.
  package static let codeCharactersMax = 60
  /// Maximum number of kinds of errors and refusals to count separately.
  package static let kindsMax = 32
  /// Maximum latency in the histogram, in microseconds. `maxMs` is exact for longer ones.
  package static let latencyUsMax: UInt64 = 120_000_000

  /// Timeout of the feed's first list, in nanoseconds.
  package static let listNs: Int64 = 10_000_000_000
  /// Timeout of the store, in nanoseconds. A killed service restarts within seconds, or later on a busy machine.
  package static let storeNs: Int64 = 60_000_000_000
  /// Random pause between two requests to a store that does not respond, in milliseconds.
  package static let storeRetryMs = 100...500
  /// Time without a new post, in nanoseconds, after which the audit stops waiting for the feed.
  package static let quietNs: Int64 = 1_000_000_000
  /// Maximum lag of the subscriber behind the store at the end, in nanoseconds.
  package static let lagNs: Int64 = 5_000_000_000
  /// Interval between two requests to the store about queued posts.
  package static let queuedPoll = Duration.milliseconds(500)
  /// Interval between two checks of the subscriber, at the end of the run.
  package static let listPoll = Duration.milliseconds(50)
  /// Interval between two checks for the first list.
  package static let beginPoll = Duration.milliseconds(20)
  /// Interval between two checks for the end of all producers.
  package static let producersPoll = Duration.milliseconds(10)
  /// Interval between two updates of the progress line.
  package static let progressInterval = Duration.milliseconds(200)
  /// Interval for the rate in the progress line, in nanoseconds, so that people can read it.
  package static let rateNs: Int64 = 1_000_000_000
}
