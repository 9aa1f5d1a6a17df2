import Domain
import FoundationEssentials

extension IngestStart {
  /// Creates the start of a message. Nil if the message has none, because an earlier version of ingest sent it.
  init?(_ epoch: Epoch, _ generation: UInt64) {
    guard let generation = UInt32(exactly: generation), generation > 0 else { return nil }
    self.init(epoch: epoch, generation: generation)
  }

  fileprivate init?(_ epoch: Data, _ generation: UInt32) {
    guard let epoch = Epoch(epoch) else { return nil }
    self.init(epoch, UInt64(generation))
  }
}

extension Onthemap_Jobs_V1_Welcome {
  /// The start of the ingest that sent the message. Nil if the message has none.
  var start: IngestStart? { IngestStart(epoch, generation) }
}

extension Onthemap_Changes_V1_FetchReply {
  /// The start of the ingest that sent the message. Nil if the message has none.
  var start: IngestStart? { IngestStart(epoch, generation) }
}

extension Onthemap_Gateway_V1_Welcome {
  /// The start of the ingest that sent the message. Nil from an earlier version of ingest.
  var start: IngestStart? { IngestStart(epoch, generation) }
}

extension Onthemap_Submit_V1_SubmitReply {
  /// The start of the ingest that sent the message. Nil if the message has none.
  var start: IngestStart? { IngestStart(epoch, generation) }
}
