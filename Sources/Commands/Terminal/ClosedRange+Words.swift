import Foundation

extension ClosedRange<Int> {
  /// The range in words, for help and complaints: "1 to 64".
  var words: String { "\(lowerBound) to \(upperBound)" }
}

extension ClosedRange<Double> {
  /// Words for a range of numbers, without a fraction that is zero: "0.01 to 100".
  var words: String { "\(decimal(lowerBound)) to \(decimal(upperBound))" }
}

/// Returns a number as people write it, with six digits at most: "0.01", "1".
func decimal(_ number: Double) -> String { String(format: "%g", number) }
