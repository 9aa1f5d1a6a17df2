/// Limits of a load test.
package enum LoadLimits {
  /// Posts of a run: they are counted in arrays, about 30 bytes each, on both sides of the wire.
  package static let postsMax = 5_000_000
  /// Posts a second.
  package static let rateRange = 1...100_000
  /// Seconds in which posts become due: a day at most.
  package static let secondsRange = 1...86_400
  /// Further subscribers: each has a thread of its own.
  package static let subscribersRange = 0...500
  /// Seconds to go on trying, and then to wait for queued posts: an hour at most.
  package static let settleSecondsRange = 1...3_600
  /// Time without an option: several times as long as a service takes to restart.
  package static let settleSecondsDefault = 30
  /// Connections of producers over ZeroMQ: ingest answers `Limits.submitRequestsMax` requests at once, and would tell
  /// more to wait.
  package static let producersMax = 64
  /// Connections of producers over ZeroMQ where the options name no number: each sends `batchDefault` posts in a frame.
  package static let producersDefault = 2
  /// Posts in one frame where the options name no number: enough to spread a frame's cost.
  package static let batchDefault = 64
  /// Connections over HTTP: a third of what ingest takes, and as many as one machine makes in a moment.
  package static let connectionsMax = 4_096
  /// Connections over HTTP where the options name no number: with answers of 10 ms they carry 6,400 posts a second.
  package static let connectionsDefault = 64
  /// Files that the process may open beside those of connections: for the subscriber, the store's questions, libraries.
  package static let filesBeside: UInt = 128
  /// Files of one further subscriber: its sockets and its reactor's.
  package static let filesOfSubscriber = 16
  /// Lines of a file of places: about 250 MB where all are as long as they may be.
  package static let placesMax = 1_000_000
  /// Inhabitants of a town that posts name. Smaller ones are seldom meant, and some of them have neither a region nor a
  /// name in Latin letters.
  package static let populationMin: UInt32 = 5_000

  /// Time between the run's begin and its first post, in nanoseconds: all connections are made before.
  package static let warmUpNs: Int64 = 250_000_000
  /// The same for each connection, in nanoseconds.
  package static let warmUpOfConnectionNs: Int64 = 500_000
  /// Timeout of a connect, in milliseconds.
  package static let connectMs: Int64 = 2_000
  /// Timeout of a post, in nanoseconds. A post is answered after one commit; a server that takes so long has lost the
  /// request, or its host.
  package static let responseTimeoutNs: Int64 = 15_000_000_000
  /// Delay of a post, in nanoseconds, from which the generator counts as too slow.
  package static let lateNs: Int64 = 10_000_000
  /// The first pause after a failed post, in milliseconds, and the longest one.
  package static let pauseMs: ClosedRange<Int64> = 100...2_000
  /// Body of an answer: a refusal's is longer only by mistake.
  package static let bodyBytesMax = 65_536
  /// Characters of a refusal's code that the report shows: ours have fewer than 30, and the reason phrase of a proxy,
  /// which stands for a missing code, may have more.
  package static let codeCharactersMax = 60
  /// Kinds of errors and refusals that are told apart.
  package static let kindsMax = 32
  /// Longest latency that the histogram tells apart, in microseconds; `maxMs` tells how long longer ones were.
  package static let latencyUsMax: UInt64 = 120_000_000

  /// Timeout of the feed's first list, in nanoseconds.
  package static let listNs: Int64 = 10_000_000_000
  /// Timeout of the store, in nanoseconds. A service that was killed is back in seconds, and on a busy machine later.
  package static let storeNs: Int64 = 60_000_000_000
  /// Random pause between two questions to a store that does not answer, in milliseconds.
  package static let storeRetryMs = 100...500
  /// Time without a new post, in nanoseconds, after which the feed has told all that it can tell for now.
  package static let quietNs: Int64 = 1_000_000_000
  /// Longest delay of the subscriber behind the store at the end, in nanoseconds.
  package static let lagNs: Int64 = 5_000_000_000
  /// Interval between two questions to the store about queued posts.
  package static let queuedPoll = Duration.milliseconds(500)
  /// Interval between two looks at the subscriber, at the end of the run.
  package static let listPoll = Duration.milliseconds(50)
  /// Interval between two looks whether the first list has come.
  package static let beginPoll = Duration.milliseconds(20)
  /// Interval between two looks whether all producers have done.
  package static let producersPoll = Duration.milliseconds(10)
  /// Interval between two drawings of the progress line.
  package static let progressInterval = Duration.milliseconds(200)
  /// Time over which the progress line's rate is measured, in nanoseconds, so that people can read it.
  package static let rateNs: Int64 = 1_000_000_000
}
