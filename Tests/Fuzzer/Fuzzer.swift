import Foundation
import FuzzTargets

/// The target that `FUZZ_TARGET` names.
private let target: FuzzTarget = {
  let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
  guard let target = FuzzTarget(rawValue: name) else {
    fatalError("Set FUZZ_TARGET to one of \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")).")
  }
  return target
}()

/// The entry point that libFuzzer calls with every input. (LLVM, "libFuzzer – a library for coverage-guided fuzz
/// testing".)
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do { _ = try target.read(Array(UnsafeBufferPointer(start: start, count: count))) } catch { fatalError("\(error)") }
  return 0
}
