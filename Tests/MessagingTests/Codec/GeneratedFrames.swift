import Foundation
import SwiftProtobuf

@testable import Domain
@testable import Messaging

// Frames of the feed and of the change log, encoded by the generated code.

extension Onthemap_Feed_V1_Entry {
  init(_ entry: FeedEntry) {
    self.init()
    postID = entry.id.description
    seq = entry.seq
    account = UInt64(bitPattern: entry.account.rawValue)
    firstName = entry.firstName
    lastName = entry.lastName
    place = entry.place
    label = entry.label
    countryCode = entry.countryCode
    link = entry.link
    latE7 = entry.coordinate.latitudeE7
    lonE7 = entry.coordinate.longitudeE7
    agreement = Onthemap_Feed_V1_Agreement(rawValue: Int(entry.agreement.rawValue)) ?? .notGiven
    createdUnixMs = UInt64(bitPattern: entry.createdMs)
    updatedUnixMs = UInt64(bitPattern: entry.updatedMs)
  }
}

extension FeedFrame {
  init(_ state: FeedState, instance: String, unixMs: Int64, _ body: OneOf_Body) {
    self.init()
    magic = Protocol.magic
    major = Protocol.major
    minor = Protocol.minor
    epoch = Data(state.epoch.bytes)
    seq = state.seq
    publishedUnixMs = UInt64(bitPattern: unixMs)
    self.instance = instance
    self.body = body
  }

  static func snapshot(_ state: FeedState, _ reason: Onthemap_Feed_V1_SnapshotReason) -> OneOf_Body {
    .snapshot(
      .with {
        $0.reason = reason
        $0.limit = UInt32(Limits.feedEntriesMax)
        $0.entries = state.entries.map(Onthemap_Feed_V1_Entry.init)
        $0.stateHash = state.hash
      })
  }

  static func delta(_ delta: FeedDelta, hash: UInt64) -> OneOf_Body {
    .delta(
      .with {
        $0.prevSeq = delta.prevSeq
        $0.upsert = delta.upsert.map(Onthemap_Feed_V1_Entry.init)
        $0.remove = delta.remove.map(\.description)
        $0.stateHash = hash
      })
  }
}

extension FetchReply {
  /// Ingest's reply to a feed's fetch.
  init(_ result: ChangeLog.FetchResult, id: UInt64, epoch: Epoch, generation: UInt32 = 0) {
    switch result {
    case .changes(let changes, let lastSeq, let hash):
      var body = Onthemap_Changes_V1_Changes(changes)
      if let hash { body.stateHash = hash }
      self.init(id: id, epoch: epoch, seq: lastSeq, generation: generation, .changes(body))
    case .snapshot(let state):
      let snapshot = Onthemap_Changes_V1_Snapshot.with {
        $0.entries = state.entries.map(Onthemap_Feed_V1_Entry.init)
        $0.stateHash = state.hash
      }
      self.init(id: id, epoch: epoch, seq: state.seq, generation: generation, .snapshot(snapshot))
    }
  }
}

extension Onthemap_Changes_V1_Changes {
  init(_ changes: [FeedChange]) {
    self.init()
    var entries: [FeedEntry] = []
    for change in changes {
      switch change {
      case .upsert(let entry): entries.append(entry)
      case .remove(let id, let seq, let backfill):
        removals.append(
          .with {
            $0.seq = seq
            $0.postID = id.description
            if let backfill { $0.backfill = Onthemap_Feed_V1_Entry(backfill) }
          })
      }
    }
    upsert = entries.map(Onthemap_Feed_V1_Entry.init)
    traces = entries.compactMap { entry in
      entry.trace.map { trace in .with { ($0.seq, $0.traceparent) = (entry.seq, trace.description) } }
    }
  }
}
