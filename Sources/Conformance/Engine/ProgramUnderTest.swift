package import Messaging

/// A program that `onthemap conformance` tests: its kind, and its own addresses.
package enum ProgramUnderTest: Sendable {
  /// A worker.
  ///
  /// - Parameter query: A text that the worker finds, 1 to `Limits.placeBytesMax` bytes.
  case worker(query: String)
  case subscriber
  case producer
  /// A feed with its own addresses.
  ///
  /// - Parameters:
  ///   - publish: Address at which the feed publishes.
  ///   - query: Address for queries. Nil to test no queries.
  case feed(publish: Endpoint, query: Endpoint?)

  /// The link that the run binds for the program.
  package var link: LinkName {
    switch self {
    case .worker: .jobs
    case .subscriber: .feed
    case .producer: .submit
    case .feed: .changes
    }
  }

  /// Binds the link, and creates the socket of the run. Call this on the reactor's thread.
  ///
  /// - Returns: the socket, and the link's address with the actual port.
  package func makeSocket(
    _ context: Reactor.Context, bind: Endpoint, environment: ConformanceEnvironment
  ) throws(LinkError) -> (socket: any ReactorSocket, endpoint: Endpoint) {
    switch self {
    case .worker(let query):
      try ConformanceSocket<WorkerSuite>.make(context, bind: bind, query: query, environment: environment)
    case .subscriber: try ConformanceSocket<SubscriberSuite>.make(context, bind: bind, environment: environment)
    case .producer: try ConformanceSocket<ProducerSuite>.make(context, bind: bind, environment: environment)
    case .feed(let publish, let query):
      try ConformanceSocket<FeedSuite>.make(
        context, bind: bind, publish: publish, query: query, environment: environment)
    }
  }
}
