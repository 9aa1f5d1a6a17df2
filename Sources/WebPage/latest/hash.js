const mask = 0xffffffffffffffffn;
const prime = 0x100000001b3n;

/**
 * Hashes a list, to compare it with the server's. The hash is FNV-1a with 64 bits over each post's id and `seq`, newest
 * post first. A `seq` has 8 bytes, little-endian. (Fowler, Noll, Vo; "The hash of a list" in proto/README.md.)
 *
 * @returns {string} 16 hexadecimal digits.
 */
export function stateHash(entries) {
  let hash = 0xcbf29ce484222325n;
  const add = (byte) => { hash = ((hash ^ BigInt(byte)) * prime) & mask; };
  for (const { id, seq } of entries) {
    for (const character of id) add(character.charCodeAt(0));
    // Numbers are exact up to 2^53. Shifts have only 32 bits, so a division yields the upper half.
    for (const half of [seq % 2 ** 32, Math.floor(seq / 2 ** 32)]) {
      for (let shift = 0; shift < 32; shift += 8) add((half >>> shift) & 0xff);
    }
  }
  return hash.toString(16).padStart(16, '0');
}
