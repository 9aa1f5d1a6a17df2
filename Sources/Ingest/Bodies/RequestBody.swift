import Domain
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Web

/// Decoder of JSON bodies. It reads a body up to a limit and reports errors with the field and the reason.
enum RequestBody {
  private static let decoder = JSONDecoder()

  static func decode<Value: Decodable>(_ type: Value.Type, from request: Request) async throws -> Value {
    let buffer = try await collect(request, upTo: Limits.requestBodyBytesMax)
    return try decoded(type, buffer.readableBytesView, decoder)
  }

  /// Returns the whole body.
  ///
  /// - Throws: `Problem`: 413 for more than `bytesMax` bytes, 400 for a body that ends too early.
  static func collect(_ request: Request, upTo bytesMax: Int) async throws -> ByteBuffer {
    do { return try await request.body.collect(upTo: bytesMax) } catch is NIOTooManyBytesError {
      throw Problem(.contentTooLarge, "body_too_large", "the body is longer than \(bytesMax) bytes")
    } catch is CancellationError { throw CancellationError() } catch {
      throw Problem(
        .badRequest, "incomplete_body",
        "the body is incomplete, or does not match its headers; send the request again")
    }
  }

  /// Decodes one JSON text.
  ///
  /// - Throws: `Problem` if it is not JSON, has a flaw by `JSONShape`, or does not match the type.
  static func decoded<Value: Decodable>(
    _ type: Value.Type, _ bytes: some Collection<UInt8>, _ decoder: JSONDecoder
  ) throws(Problem) -> Value {
    if let flaw = JSONShape.flaw(in: bytes) { throw Problem(flaw) }
    do { return try decoder.decode(type, from: Data(bytes)) } catch let error as DecodingError {
      throw Problem(error)
    } catch {
      throw Problem(.badRequest, "invalid_json", "the body is not valid JSON (RFC 8259)")
    }
  }
}

extension Problem {
  fileprivate init(_ flaw: JSONShape.Flaw) {
    let detail =
      switch flaw {
      case .trailingComma: "the body has a comma before a closing bracket, which is not valid JSON: remove it"
      case .doubledName(let name):
        "the body has an object with two members named \"\(name.safeLine(bytesMax: Limits.quotedTextBytesMax))\": "
          + "keep one"
      case .encoding: "the body has a NUL byte: send JSON in UTF-8"
      }
    self.init(.badRequest, "invalid_json", detail)
  }

  fileprivate init(_ error: DecodingError) {
    switch error {
    case .keyNotFound(let key, let context):
      let field = Problem.path(context.codingPath + [key])
      self.init(.unprocessableContent, "missing_field", "\(field) is missing", field: field)
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      let field = Problem.path(context.codingPath)
      self.init(
        .unprocessableContent, "wrong_type", "\(field.isEmpty ? "the body" : field) must be \(Problem.name(of: type))",
        field: field)
    case .dataCorrupted: self.init(.badRequest, "invalid_json", "the body is not valid JSON (RFC 8259)")
    @unknown default: self.init(.badRequest, "invalid_json", "the body cannot be read")
    }
  }

  private static func path(_ keys: [any CodingKey]) -> String { keys.map(\.stringValue).joined(separator: ".") }

  private static func name(of type: any Any.Type) -> String {
    switch type {
    case is String.Type: "a string"
    case is Double.Type, is Int.Type: "a number"
    case is Bool.Type: "true or false"
    default: "an object"
    }
  }
}
