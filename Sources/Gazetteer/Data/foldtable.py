#!/usr/bin/env python3
"""Writes ../Generated/FoldTable.swift: the characters by the text to which they fold.

usage: foldtable.py

Source: the Unicode character database of the running Python (compatibility decomposition without marks, then case
folding), and the tables below for letters without a decomposition.
"""

import pathlib
import unicodedata

# Blocks with letters that have case, accents or presentation forms. Han, kana, Hangul and the scripts of India are
# unchanged, because there a mark is part of the letter.
BLOCKS = [(0x00A0, 0x02AF), (0x0370, 0x058F), (0x10A0, 0x10FF), (0x1C90, 0x1CBF), (0x1E00, 0x1FFF), (0x2C60, 0x2C7F),
          (0xFB00, 0xFB06), (0xFF10, 0xFF19), (0xFF21, 0xFF3A), (0xFF41, 0xFF5A), (0xFF66, 0xFF9D)]

LETTERS = {
    "ß": "ss", "ẞ": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "ħ": "h",
    "ŧ": "t", "ŋ": "ng", "ə": "e", "ɛ": "e", "ɔ": "o", "ɖ": "d", "ƒ": "f", "ɓ": "b", "ɗ": "d", "ƙ": "k", "ĸ": "k",
    "ς": "σ", "أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي", "ی": "ي", "ئ": "ي", "ؤ": "و", "ة": "ه", "ہ": "ه",
    "ھ": "ه", "ک": "ك", "ґ": "г", "・": " ", "ヶ": "ケ", "ヵ": "カ",
}
SPACES = "\u00a0·–—‐‑‒―…\u3000«»“”„\"•・−·_"
COMMAS = "、，；،؛。\u2028\u2029／（）［］「」『』〒"
REMOVED = "’‘‛ʼʻʽʾʿʹ′`´ˈˊˋ＇\u00ad\u200b\u200c\u200d\u200e\u200f\ufeff\u0640ªº°"
DIGITS = [0x0660, 0x06F0, 0x0966, 0x09E6, 0x0E50]


def fold(character):
    text = unicodedata.normalize("NFKD", character.casefold()).casefold()
    text = "".join(LETTERS.get(c, c) for c in text if unicodedata.category(c) not in ("Mn", "Lm"))
    return LETTERS.get(character, text)


def table():
    folded = {}
    for first, last in BLOCKS:
        for code in range(first, last + 1):
            character = chr(code)
            if unicodedata.category(character)[0] not in "LN":
                continue
            result = fold(character)
            if result and result != character and all(unicodedata.category(c)[0] in "LN" for c in result):
                folded[character] = result
    for character, result in LETTERS.items():
        folded[character] = result
    for zero in DIGITS:
        for digit in range(10):
            folded[chr(zero + digit)] = str(digit)
    for special, characters in ((" ", SPACES), (",", COMMAS), ("'", REMOVED)):
        for character in characters:
            if ord(character) >= 0x80:
                folded[character] = special
    return folded


def escaped(character):
    hidden = unicodedata.category(character)[0] in "MCZ" or character in "\\\"" or unicodedata.category(character) == "Lm"
    return f"\\u{{{ord(character):X}}}" if hidden else character


def rows(folded):
    groups = {}
    for character, result in sorted(folded.items()):
        groups.setdefault(result, []).append(character)
    pairs = "=" + "".join(result + characters[0] for result, characters in sorted(groups.items())
                          if len(result) == 1 and len(characters) == 1)
    for start in range(1, len(pairs), 100):
        yield "=" + pairs[start:start + 100]
    for result, characters in sorted(groups.items()):
        assert len(result.encode()) <= 4, result
        if len(result) == 1 and len(characters) == 1:
            continue
        line = result + "="
        for character in characters:
            piece = escaped(character)
            if len(line) + len(piece) > 110:
                yield line
                line = result + "="
            line += piece
        yield line


def main():
    lines = ["// Written by Data/foldtable.py: do not edit.", "", "extension Fold {",
             "  /// Table of the folds, one line per result: the result, \"=\", and its characters. A space ends a",
             "  /// token, a comma ends a segment, and an apostrophe removes the character. A line that begins",
             "  /// with \"=\" holds pairs of a result and a character.",
             "  static let table: StaticString = \"\"\""]
    lines += ["    " + row for row in rows(table())]
    lines += ["    \"\"\"", "}", ""]
    path = pathlib.Path(__file__).resolve().parent.parent / "Generated" / "FoldTable.swift"
    path.write_text("\n".join(lines))


if __name__ == "__main__":
    main()
