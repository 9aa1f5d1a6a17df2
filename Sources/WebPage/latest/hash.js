const word = 2 ** 32;
/** The prime of FNV-1a is 2^40 + 0x1b3. */
const factor = 0x1b3;

/**
 * Hashes a list, to compare it with the server's. The hash is FNV-1a with 64 bits over each post's id and `seq`, newest
 * post first. A `seq` has 8 bytes, little-endian. (Fowler, Noll, Vo; "The hash of a list" in proto/README.md.)
 *
 * The two halves of the hash are numbers, because BigInt takes five times as long. Every product is below 2^53 and thus
 * exact.
 *
 * @returns {string} 16 hexadecimal digits.
 */
export function stateHash(entries) {
  let [high, low] = [0xcbf29ce4, 0x84222325];
  const add = (byte) => {
    const mixed = (low ^ byte) >>> 0;
    const product = mixed * factor;
    high = (high * factor + mixed * 2 ** 8 + Math.floor(product / word)) >>> 0;
    low = product >>> 0;
  };
  for (const { id, seq } of entries) {
    for (let index = 0; index < id.length; index += 1) add(id.charCodeAt(index));
    // Shifts have only 32 bits, so a division yields the upper half.
    for (const half of [seq % word, Math.floor(seq / word)]) {
      for (let shift = 0; shift < 32; shift += 8) add((half >>> shift) & 0xff);
    }
  }
  return [high, low].map((half) => half.toString(16).padStart(8, '0')).join('');
}
