import Testing

@testable import Commands

@Suite("Untrusted text on a terminal")
struct WatchTextTests {
  @Test("Control characters are removed")
  func controls() {
    #expect(WatchText("a\u{1B}[31mb\u{9B}2Jc\u{202E}d\n").text == "a[31mb2Jcd")
  }

  @Test(
    "Text width equals the columns that terminals use",
    arguments: [
      ("Seattle", 7), ("Zürich", 6), ("Zu\u{308}rich", 6), ("東京", 4), ("서울", 4), ("ｱ", 1), ("Ａ", 2), ("🗺", 1), ("🎉", 2),
      ("🇨🇷", 2), ("कि", 2), ("…", 1), ("", 0),
    ])
  func width(text: String, columns: Int) { #expect(WatchText(text).width == columns) }

  @Test(
    "A cell has exactly the requested width",
    arguments: [
      ("Seattle", 9, "Seattle  "), ("Seattle", 7, "Seattle"), ("Seattle", 6, "Seatt…"), ("東京都", 6, "東京都"),
      ("東京都", 5, "東京…"), ("東京都", 4, "東… "), ("東京都", 1, "…"), ("東京都", 0, ""), ("Zu\u{308}rich", 3, "Zu\u{308}…"),
    ])
  func cell(text: String, columns: Int, cell: String) {
    #expect(WatchText(text).cell(columns) == cell)
    #expect(WatchText(WatchText(text).cell(columns)).width == columns)
  }
}
