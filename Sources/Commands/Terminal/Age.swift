/// Returns an age in few columns: "5s", "3m", "47h". 0 if the clock went back.
func shortAge(ms: Int64) -> String {
  let seconds = max(0, ms / 1_000)
  return switch seconds {
  case ..<60: "\(seconds)s"
  case ..<3_600: "\(seconds / 60)m"
  case ..<172_800: "\(seconds / 3_600)h"
  case ..<86_400_000: "\(seconds / 86_400)d"
  default: "\(min(seconds / 31_557_600, 999))y"
  }
}

/// Returns an age in words: "5 seconds", "1 hour". 0 if the clock went back.
func longAge(ms: Int64) -> String {
  let seconds = max(0, ms / 1_000)
  return switch seconds {
  case ..<120: counted(Int(seconds), "second")
  case ..<7_200: counted(Int(seconds / 60), "minute")
  case ..<172_800: counted(Int(seconds / 3_600), "hour")
  default: counted(Int(seconds / 86_400), "day")
  }
}

/// Returns a count with its noun: "1 post", "2 posts".
func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
