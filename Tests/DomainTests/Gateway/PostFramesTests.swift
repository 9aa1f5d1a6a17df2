import Domain
import Testing

@Suite("Frames of a gateway's posts")
struct PostFramesTests {
  @Test("The first frame has all waiting posts, up to the maximum of a frame")
  func first() {
    let max = Limits.gatewayPostsMax
    for (waiting, count) in [(0, 0), (1, 1), (max, max), (max + 1, max)] {
      #expect(PostFrames.nextCount(waiting: waiting, sent: 0, frames: 0) == count)
    }
  }

  @Test("A few posts wait for no reply, and more posts wait for one")
  func few() {
    let few = Limits.gatewayPostsFew
    #expect(PostFrames.nextCount(waiting: 1, sent: few - 2, frames: 1) == 1)
    #expect(PostFrames.nextCount(waiting: 1, sent: few - 1, frames: 1) == 0)
    #expect(PostFrames.nextCount(waiting: few, sent: 1, frames: 1) == 0)
  }

  @Test("Many waiting posts fill a frame, so they wait for no reply")
  func many() {
    let many = Limits.gatewayPostsMany
    #expect(PostFrames.nextCount(waiting: many - 1, sent: Limits.gatewayPostsMax, frames: 1) == 0)
    #expect(PostFrames.nextCount(waiting: many, sent: Limits.gatewayPostsMax, frames: 1) == many)
  }

  @Test("No post goes into a frame above the maximum of frames without a reply")
  func framesMax() {
    let max = Limits.gatewayPostFramesMax
    for waiting in [1, Limits.gatewayPostsHeldMax] {
      #expect(PostFrames.nextCount(waiting: waiting, sent: max - 1, frames: max - 1) > 0)
      #expect(PostFrames.nextCount(waiting: waiting, sent: max, frames: max) == 0)
    }
  }

  @Test("Ingest executes all frames of 256 gateways")
  func total() { #expect(Limits.gatewayPostFramesTotalMax == 256 * Limits.gatewayPostFramesMax) }
}
