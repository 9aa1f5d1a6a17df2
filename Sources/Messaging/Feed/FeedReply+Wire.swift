import Domain
import FoundationEssentials
import SwiftProtobuf

typealias FeedRequest = Onthemap_Feed_V1_FeedRequest
typealias FeedReply = Onthemap_Feed_V1_FeedReply

extension FeedReply {
  init(id: UInt64, error: Onthemap_Feed_V1_QueryError) {
    magic = Protocol.magic
    major = Protocol.major
    minor = Protocol.minor
    requestID = id
    self.error = error
  }
}
