import Domain
import Foundation
import GazetteerBuild
import GazetteerFixtures
import Testing

@testable import Gazetteer

/// The committed gazetteer data, compiled once for each test run.
enum World {
  static let index = Result { try PlaceIndex(path: path()) }
  /// The sections of the compiled file.
  nonisolated(unsafe) static let sections = Result {
    try IndexSections(mapped.get().bytes, path: "the world")
  }
  /// The path of the compiled file, which leads to an open descriptor. The file has no name, so that the end of the
  /// process frees its space.
  static func path() throws -> String { "/proc/self/fd/\(try file.get().fileDescriptor)" }
  private static let mapped = Result { try MappedFile(path: path()) }
  private static let file = Result { try compile() }

  static var sources: URL { URL(filePath: #filePath).deletingLastPathComponent() }

  /// The best place for a text.
  static func first(_ text: String, country: String? = nil) throws -> Place? {
    try index.get().locate(PlaceQuery(text, country: country)).first
  }

  private static func compile() throws -> FileHandle {
    let folder = sources.appending(path: "../../Sources/Gazetteer/Data").standardizedFileURL
    let files = ["places.tsv.xz", "postcodes.tsv.xz"].map { folder.appending(path: $0).path }
    let unpacker = Process()
    unpacker.executableURL = URL(filePath: "/usr/bin/env")
    unpacker.arguments = ["xz", "-dc"] + files
    let pipe = Pipe()
    unpacker.standardOutput = pipe
    try unpacker.run()
    var builder = PlaceIndexBuilder()
    try builder.read(fileDescriptor: pipe.fileHandleForReading.fileDescriptor)
    unpacker.waitUntilExit()
    try #require(unpacker.terminationStatus == 0)
    let file = TemporaryFile()
    try builder.write(to: file.path, builtAt: 1_750_000_000)
    return try FileHandle(forReadingFrom: URL(filePath: file.path))
  }
}
