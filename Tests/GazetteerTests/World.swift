import Foundation
import Gazetteer
import OnTheMap
import Testing

/// The committed data, compiled once for a run of the tests.
enum World {
  static let index = Result { try compile() }

  static var sources: URL { URL(filePath: #filePath).deletingLastPathComponent() }

  /// The best answer to a text.
  static func first(_ text: String, country: String? = nil) throws -> Place? {
    try index.get().locate(PlaceQuery(text, country: country)).first
  }

  private static func compile() throws -> PlaceIndex {
    let data = sources.appending(path: "../../Sources/Gazetteer/Data/places.tsv.xz").standardizedFileURL
    let unpacker = Process()
    unpacker.executableURL = URL(filePath: "/usr/bin/env")
    unpacker.arguments = ["xz", "-dc", data.path]
    let pipe = Pipe()
    unpacker.standardOutput = pipe
    try unpacker.run()
    var builder = PlaceIndexBuilder()
    try builder.read(fileDescriptor: pipe.fileHandleForReading.fileDescriptor)
    unpacker.waitUntilExit()
    try #require(unpacker.terminationStatus == 0)
    let file = TemporaryFile()
    try builder.write(to: file.path, builtAt: 1_750_000_000)
    // The mapping outlives the name.
    return try PlaceIndex(path: file.path)
  }
}

/// A path of its own that is removed with the object.
final class TemporaryFile {
  let path = FileManager.default.temporaryDirectory.appending(path: "gazetteer-\(UUID().uuidString)").path

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
