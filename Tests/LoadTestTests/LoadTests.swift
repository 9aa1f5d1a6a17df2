import Domain
import NIOCore
import NIOHTTP1
import Testing

@testable import LoadTest

@Suite("Load test plan and summary")
struct LoadTests {
  private let plan = LoadPlan(rate: 3, seconds: 2, run: "0123abcd", seed: 1, places: .lines(["Seattle", "東京"]))

  private func id(_ number: UInt64) throws -> PostID { try #require(PostID(rawValue: number)) }

  /// The summary of a run that sent every post on time.
  private func summary(_ tally: Tally, lists: Audit.Lists = .equal(seq: 1, hash: "0")) -> LoadSummary {
    for _ in 0..<plan.count { tally.send(lateNs: 0, waitedForConnection: false) }
    return LoadSummary(
      plan: plan, server: "http://127.0.0.1:8080", connections: 1, tally: tally,
      finding: Audit.Finding(lists: lists, reasons: [:]), replacements: 0, startNs: 0)
  }

  @Test("The plan spaces due times evenly, to the nanosecond")
  func due() {
    #expect(
      (0..<plan.count).map(plan.dueNs) == [0, 333_333_333, 666_666_666, 1_000_000_000, 1_333_333_333, 1_666_666_666])
  }

  @Test("The plan recognises its own links only")
  func links() {
    #expect((0..<plan.count).map { plan.post(plan.link($0)) } == Array(0..<plan.count))
    for link in [
      "https://load.invalid/0123abcd/6", "https://load.invalid/0123abce/1", "https://load.invalid/0123abcd/",
      "https://load.invalid/0123abcd/-1", "https://example.org/", "",
    ] {
      #expect(plan.post(link) == nil, "\(link)")
    }
  }

  @Test("The same seed gives the same posts")
  func seed() {
    #expect((0..<6).map(plan.body) == (0..<6).map(plan.body))
    #expect(Set((0..<6).map { SplitMix64.value(seed: 1, at: $0) }).count == 6)
  }

  @Test("A run in which every post is published has no failures")
  func good() throws {
    let tally = Tally(posts: plan.count)
    for post in 0..<6 {
      let id = try id(UInt64(post) + 1)
      tally.send(lateNs: 0, waitedForConnection: false)
      tally.see(post, id: id, latencyNs: 2_000_000)
      tally.accept(post, id: id, latencyNs: 1_000_000, nowNs: 3_000_000_000)
      #expect(tally.find(post, id: id, state: .published))
      #expect(!tally.find(post, id: id, state: .published))
    }
    let summary = summary(tally)
    #expect(summary.failures.isEmpty)
    #expect(summary.published == 6)
    #expect(summary.achievedRate == 2)
    #expect(abs(summary.acceptLatency.ms(50) - 1) < 0.002)
    #expect(summary.feedLatency.maxMs == 2)
  }

  @Test("Lost, duplicated and queued posts are failures, each with its count")
  func bad() throws {
    let tally = Tally(posts: plan.count)
    for post in 0..<6 { tally.accept(post, id: try id(UInt64(post) + 1), latencyNs: 0, nowNs: 1) }
    // Post 0 is lost. Post 1 is stored only under another id, so it is lost too. Post 2 is stored twice. Post 3 is seen
    // twice. Post 4 is still queued.
    _ = tally.find(1, id: try id(20), state: .published)
    _ = tally.find(2, id: try id(3), state: .published)
    _ = tally.find(2, id: try id(21), state: .published)
    _ = tally.find(3, id: try id(4), state: .published)
    tally.see(3, id: try id(4), latencyNs: 0)
    tally.see(3, id: try id(22), latencyNs: 0)
    _ = tally.find(4, id: try id(5), state: .queued)
    _ = tally.find(5, id: try id(6), state: .rejected)
    let summary = summary(tally, lists: .different(reason: "x"))
    #expect(
      summary.failures == [
        "2 accepted posts are not in the store", "2 posts are duplicated",
        "2 posts did not reach the subscriber, and no list was replaced", "1 post is still queued",
        "the lists differ: x",
      ])
    #expect(summary.notSeenLive == 2)
    #expect(summary.rejected == 1)
  }

  @Test("A latency beyond the histogram's range keeps its full value")
  func longTimes() {
    var latency = Latency()
    latency.record(ns: 200_000_000_000)
    #expect(latency.count == 1)
    #expect(latency.maxMs == 200_000)
  }

  @Test("HTTP responses map to accepted, retry or refused")
  func responses() {
    func outcome(
      _ status: HTTPResponseStatus, _ headers: HTTPHeaders = [:], _ body: String = ""
    ) -> PostResponse.Outcome {
      PostResponse(
        head: HTTPResponseHead(version: .http1_1, status: status, headers: headers), body: ByteBuffer(string: body)
      ).outcome
    }
    guard case .accepted = outcome(.accepted, ["Location": "/v2/posts/4D5Pr1K2Yi"]) else {
      return #expect(Bool(false), "A 202 with a Location must count as accepted.")
    }
    for status in [HTTPResponseStatus.serviceUnavailable, .internalServerError, .tooManyRequests] {
      guard case .retry = outcome(status) else { return #expect(Bool(false), "\(status) must be retried.") }
    }
    guard case .refused("422 invalid_place") = outcome(.unprocessableEntity, [:], #"{"code":"invalid_place"}"#),
      case .refused = outcome(.accepted)
    else { return #expect(Bool(false), "A refusal must carry its code.") }
  }

  @Test("A city is written in five forms, without missing parts")
  func forms() throws {
    let city = Place(
      coordinate: try #require(Coordinate(latitude: 47.6, longitude: -122.3)), level: .city, match: .exact,
      confidence: 1, label: "", name: "Seattle", region: "Washington", country: "United States", countryCode: "US")
    #expect(
      (0..<5).map { PlaceTexts.text(city, form: $0) } == [
        "Seattle", "Seattle, Washington", "seattle united states", "SEATTLE, US", "Seattle, Washington, United States",
      ])
  }
}
