/** Letters that Unicode does not decompose, with the letters that people type instead. */
const letters = { ß: 'ss', ø: 'o', đ: 'd', ł: 'l', æ: 'ae', œ: 'oe', ı: 'i' };

/** Returns a text in lower case and without accents, so that a search for "munchen" finds "München". */
export function fold(text) {
  return text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '').replace(/[ßøđłæœı]/g, (letter) => letters[letter]);
}
