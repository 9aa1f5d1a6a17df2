/// Rule for the frames in which a gateway sends posts to ingest.
///
/// Each frame costs ingest a write and a reply, and perhaps a commit. Under load, posts therefore wait for the reply to
/// the frame before them, and then share a frame. The wait costs them little: their commit would have to wait for the
/// commit of that frame anyway.
package enum PostFrames {
  /// Returns the number of waiting posts that the gateway sends in a frame now. 0 if they wait for a reply.
  ///
  /// - Parameters:
  ///   - waiting: Number of posts that are in no frame.
  ///   - sent: Number of posts in the frames without a reply.
  ///   - frames: Number of frames without a reply.
  package static func nextCount(waiting: Int, sent: Int, frames: Int) -> Int {
    guard frames < Limits.gatewayPostFramesMax else { return 0 }
    guard frames == 0 || waiting + sent < Limits.gatewayPostsFew || waiting >= Limits.gatewayPostsMany else {
      return 0
    }
    return min(waiting, Limits.gatewayPostsMax)
  }
}
