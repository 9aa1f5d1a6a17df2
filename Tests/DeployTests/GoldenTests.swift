import Foundation
import Testing

@Suite("Golden frames in proto/golden")
struct GoldenTests {
  @Test(
    "Python's protobuf reads the same message from each golden frame and its JSON",
    .enabled(
      if: Program.protoc != nil && Program.venvPython != nil,
      "protoc or .venv is missing: deploy/setup.sh test makes both"))
  func pairs() throws {
    let protoc = try #require(Program.protoc)
    let python = try #require(Program.venvPython)
    func rule(_ file: DeployFile) throws -> [String] {
      try Deployment.withFolder { folder in
        let proto = Deployment.root.appending(path: "proto")
        let golden = folder.appending(path: "golden")
        try FileManager.default.copyItem(at: proto.appending(path: "golden"), to: golden)
        try Data(file.text.utf8).write(to: folder.appending(path: file.path.replacing("proto/", with: "")))
        let names = FileManager.default.enumerator(atPath: proto.path)?.compactMap { $0 as? String } ?? []
        for name in names where name.hasSuffix(".proto") {
          let result = try protoc.run("-I", proto.path, "--python_out=\(folder.path)", name)
          guard result.status == 0 else { return [result.output] }
        }
        try Data(Self.script.utf8).write(to: folder.appending(path: "pairs.py"))
        let (status, output) = try python.run("pairs.py", at: folder)
        return status == 0 && output.hasPrefix("all of ") ? [] : [output]
      }
    }
    let delta = DeployFile("proto/golden/onthemap.feed.v1/FeedFrame.delta.json")
    let heartbeat = DeployFile("proto/golden/onthemap.feed.v1/FeedFrame.heartbeat.hex")
    try enforce(
      [delta], to: rule,
      bad: [
        delta.with("\"1027\"", replacedBy: "\"1028\""), delta.with("\"prevSeq\"", replacedBy: "\"before\""),
        heartbeat.with("0d4f544d31", replacedBy: "0d4f544d32"), heartbeat.with("0d4f544d31", replacedBy: "0d4f544d"),
      ])
  }

  private static let script = """
    import importlib
    import pathlib

    from google.protobuf import json_format

    modules = ["/".join(path.with_suffix("").parts).replace("/", ".") for path in pathlib.Path(".").rglob("*_pb2.py")]
    modules = [importlib.import_module(name) for name in modules]
    count = 0
    for path in sorted(pathlib.Path("golden").rglob("*.hex")):
        package, name = path.parent.name, path.name.split(".")[0]
        types = [getattr(each, name) for each in modules if each.DESCRIPTOR.package == package and hasattr(each, name)]
        assert len(types) == 1, f"{path}: there is no {package}.{name}"
        frame = bytes.fromhex(path.read_text())
        message = types[0].FromString(frame)
        assert message.SerializeToString(deterministic=True) == frame, f"{path}: other bytes"
        assert message == json_format.Parse(path.with_suffix(".json").read_text(), types[0]()), f"{path}: other JSON"
        count += 1
    assert count > 10
    print("all of", count)
    """
}
