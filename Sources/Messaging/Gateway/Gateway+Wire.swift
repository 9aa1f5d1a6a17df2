import Domain
import FoundationEssentials
import SwiftProtobuf

typealias GatewayFrame = Onthemap_Gateway_V1_GatewayFrame
typealias GatewayReply = Onthemap_Gateway_V1_GatewayReply

extension GatewayFrame {
  init(id: UInt64, connection: [UInt8], _ body: OneOf_Body) {
    magic = Protocol.magic
    major = Protocol.major
    minor = Protocol.minor
    requestID = id
    self.connection = Data(connection)
    self.body = body
  }

  /// Decodes a frame of any version. Nil if the frames are not a GatewayFrame of this protocol.
  init?(_ frames: ArraySlice<[UInt8]>) {
    guard frames.count == 1, let bytes = frames.first, let frame = try? GatewayFrame(serializedBytes: bytes),
      frame.magic == Protocol.magic
    else { return nil }
    self = frame
  }
}

extension GatewayReply {
  init(id: UInt64, _ body: OneOf_Body) {
    magic = Protocol.magic
    major = Protocol.major
    minor = Protocol.minor
    requestID = id
    self.body = body
  }

  /// Decodes a reply. Nil if the frames are not a reply of this major version.
  init?(_ frames: [[UInt8]]) {
    guard frames.count == 1, let reply = try? GatewayReply(serializedBytes: frames[0]), reply.magic == Protocol.magic,
      reply.major == Protocol.major
    else { return nil }
    self = reply
  }
}

extension Onthemap_Gateway_V1_Site {
  init(_ site: GatewaySite) {
    secure = site.isSecure
    allowedOrigins = site.allowedOrigins.sorted()
    publicMap = site.isMapPublic
  }

  var site: GatewaySite {
    GatewaySite(isSecure: secure, allowedOrigins: Set(allowedOrigins), isMapPublic: publicMap)
  }
}

extension Onthemap_Gateway_V1_Header {
  init(_ header: ForwardedRequest.Header) { (name, value) = (header.name, header.value) }

  var header: ForwardedRequest.Header { .init(name: name, value: value) }
}

extension Onthemap_Gateway_V1_HTTPRequest {
  init(_ request: ForwardedRequest) {
    method = request.method
    target = request.target
    authority = request.authority ?? ""
    headers = request.headers.map { .init($0) }
    body = Data(request.body)
    clientAddress = request.clientAddress ?? ""
  }

  var request: ForwardedRequest {
    ForwardedRequest(
      method: method, target: target, authority: authority.isEmpty ? nil : authority, headers: headers.map(\.header),
      body: Array(body), clientAddress: clientAddress.isEmpty ? nil : clientAddress)
  }
}

extension Onthemap_Gateway_V1_HTTPResponse {
  init(_ response: ForwardedResponse) {
    status = UInt32(clamping: response.status)
    headers = response.headers.map { .init($0) }
    body = Data(response.body)
  }

  var response: ForwardedResponse {
    ForwardedResponse(status: Int(status), headers: headers.map(\.header), body: Array(body))
  }
}

extension Onthemap_Gateway_V1_SessionPost {
  init(_ post: SessionPost) {
    token = post.token
    draft = .init(post.post)
  }

  var post: SessionPost { SessionPost(token: token, post: draft.post) }
}

extension Onthemap_Gateway_V1_PostResult {
  init(_ result: SessionPostResult) {
    switch result {
    case .accepted(let id, let createdMs, let isReplayed):
      postID = id.description
      createdUnixMs = UInt64(clamping: createdMs)
      replayed = isReplayed
    case .refused(let refusal):
      problem = .with {
        $0.status = UInt32(clamping: refusal.status)
        $0.title = refusal.title
        $0.code = refusal.refusal.code
        $0.detail = refusal.refusal.detail
        $0.field = refusal.refusal.field
        $0.retryAfterS = UInt32(clamping: refusal.retryAfterSeconds ?? 0)
      }
    }
  }

  /// The result. Nil if an accepted post has no valid id or time.
  var result: SessionPostResult? {
    if hasProblem {
      return .refused(
        .init(
          status: Int(problem.status), title: problem.title,
          refusal: SubmitRefusal(code: problem.code, detail: problem.detail, field: problem.field),
          retryAfterSeconds: problem.retryAfterS == 0 ? nil : Int(problem.retryAfterS)))
    }
    guard let id = PostID(postID), createdUnixMs <= Protocol.unixMsMax else { return nil }
    return .accepted(id, createdMs: Int64(createdUnixMs), isReplayed: replayed)
  }
}

extension Onthemap_Gateway_V1_HashPassword {
  init(_ work: PasswordHashWork, number: UInt64) {
    self.number = number
    password = work.password.text
    salt = Data(work.salt)
    memoryKib = UInt32(clamping: work.memoryKiB)
    passes = UInt32(clamping: work.passes)
  }

  var work: PasswordHashWork {
    PasswordHashWork(
      password: Secret(password), salt: Array(salt), memoryKiB: Int(memoryKib), passes: Int(passes))
  }
}

extension Onthemap_Gateway_V1_PasswordHash {
  /// Creates the reply. A hash of nil says that the gateway did not compute it.
  init(_ hash: [UInt8]?, number: UInt64) {
    self.number = number
    self.hash = Data(hash ?? [])
  }

  /// The result. Nil if it is neither a hash nor empty.
  var result: Result<[UInt8], GatewayHashes.Failure>? {
    switch hash.count {
    case 0: .failure(.notComputed)
    case Limits.passwordHashBytes: .success(Array(hash))
    default: nil
    }
  }
}

extension Onthemap_Gateway_V1_Reason {
  init(_ refusal: HeldRequests.Refusal) {
    switch refusal {
    case .staleConnection: self = .staleConnection
    case .shutdown: self = .shutdown
    case .busy: self = .busy
    }
  }

  /// The reason. An unknown one of a later version counts as a temporary one.
  var refusal: HeldRequests.Refusal {
    switch self {
    case .staleConnection: .staleConnection
    case .shutdown: .shutdown
    case .busy, .unspecified, .UNRECOGNIZED: .busy
    }
  }
}
