package import Domain
import HTTPTypes
package import Hummingbird

extension ListRevision {
  /// Returns the response to a request for the list. It is 304 if the client has this list. Otherwise it has the posts
  /// that the request's filter passes, compressed if the client accepts gzip.
  ///
  /// - Throws: `invalid_country` or `invalid_bbox`.
  package func response(to request: Request) throws(Problem) -> Response {
    let filter = try FeedFilter(Query(request))
    let accepted = ContentCoding(accepting: request.headers[.acceptEncoding])
    if let tags = request.headers[.ifNoneMatch], matches(ifNoneMatch: tags) {
      var headers = headers(accepted)
      // A response without a body has no content headers: RFC 9110, 15.4.5.
      headers[.contentType] = nil
      headers[.contentEncoding] = nil
      return Response(status: .notModified, headers: headers)
    }
    let (body, coding) = body(filter, accepted)
    return Response(status: .ok, headers: headers(coding), body: ResponseBody(byteBuffer: body))
  }
}

extension FeedFilter {
  /// Parses the filter of a request for the list.
  ///
  /// - Throws: `invalid_country` or `invalid_bbox`.
  package init(_ query: Query) throws(Problem) {
    do throws(Invalid) {
      try self.init(country: query["country"] ?? "", box: query["bbox"] ?? "")
    } catch {
      throw Problem(
        .badRequest, "invalid_\(error.name)", "\(error.name) must be \(error.expected), not \"\(error.actual)\"",
        field: error.name)
    }
  }
}
