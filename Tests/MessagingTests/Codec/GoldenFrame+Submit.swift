import SwiftProtobuf

@testable import Domain
@testable import Messaging

extension GoldenFrame {
  private static let token = "q7Zs0t2Yc1nUj4b8KXe5dGh3LmPo6Rv9WyAfBiCkDlE"

  static let submitRequestFrames: [GoldenFrame] = {
    let posts = [
      SubmittedPost(
        idempotencyKey: "01JD8Z7Q4W", place: "Seattle, WA", link: "https://example.org/zoe", latitude: 47.606_21,
        longitude: 0, trace: TraceContext("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")),
      SubmittedPost(idempotencyKey: "order 17", place: "Zoë’s garden", link: "example.org/x"),
    ]
    let query = SubmitRequest(id: 6, token: token, .query(.with { $0.postIds = ["4D2qwHkYwD", "4D2qur2un2"] }))
    return [
      frame("submit", "batch", SubmitRequest.self, SubmitCodec.batch(posts, id: 5, token: token)) { bytes in
        guard let message = ProducerMessage([bytes][...]), case .batch(let read)? = message.body else { return false }
        return read == posts && message.id == 5 && message.token == token
      },
      frame("submit", "query", SubmitRequest.self, query.bytes) { bytes in
        guard let message = ProducerMessage([bytes][...]), case .query(let read)? = message.body else { return false }
        return read == query.query.postIds && message.id == 6 && message.token == token
      },
    ]
  }()

  static let submitReplyFrames: [GoldenFrame] = {
    let receipts: [SubmitReceipt] = [
      .accepted(.numbered(1_027)), .replayed(.numbered(1_026)),
      .refused(SubmitRefusal(code: "invalid_longitude", detail: "must lie within ±180 degrees", field: "longitude")),
      .busy(SubmitRefusal(code: "busy", detail: "too many posts wait"), retryAfterMs: 2_000),
    ]
    let published = Post(
      id: .numbered(1_027), account: AccountID(rawValue: 7), place: "Seattle, WA", link: "https://example.org/zoe",
      state: .published, coordinate: nil,
      outcome: .init(
        coordinate: .e7(476_062_100, -1_223_320_700), label: "Seattle, Washington, United States", countryCode: "US",
        agreement: .verified), reason: nil, seq: 1_026, createdMs: 1_763_855_990_000, updatedMs: 1_763_855_990_017)
    var rejected = published
    (rejected.id, rejected.state, rejected.outcome, rejected.seq) = (.numbered(1_028), .rejected, nil, nil)
    rejected.reason = Verdict.Reason(code: "place_not_found", detail: "no place found for \"Nowhere\"")
    let statuses = [
      (published.id, published), (rejected.id, rejected), (PostID.numbered(1_029), nil),
    ].map { Onthemap_Submit_V1_PostStatus($0.0, $0.1) }
    let start = IngestStart(epoch: epoch, generation: 3)
    func reply(_ file: String, _ body: SubmitReply.OneOf_Body) -> GoldenFrame {
      same("submit", file, SubmitReply(id: 6, start: start, body)) { SubmitReply([$0]) }
    }
    return [
      frame("submit", "receipts", SubmitReply.self, SubmitCodec.receipts(receipts, id: 5, start: start)) { bytes in
        guard let reply = SubmitReply([bytes]), case .receipts(let read)? = reply.body else { return false }
        return read.receipts.map(\.receipt) == receipts && reply.requestID == 5
      },
      reply("statuses", .statuses(.with { $0.statuses = statuses })),
      reply(
        "error",
        .error(
          .with {
            ($0.code, $0.detail, $0.retryAfterMs) = (.unauthorized, "send the token of a session", 1_000)
          })),
    ]
  }()
}
