const bytesMax = 2_048;
const encoder = new TextEncoder();

/**
 * Whether a text will do as a link, by the server's rules, so that one learns it while typing: http or https, with a
 * host, without a password. The server has the last word.
 *
 * @returns {{href: string}|{reason: string}} what it will be, or the name of the text that says what is wrong
 */
export function checkLink(text) {
  const typed = text.trim();
  if (!typed) return { reason: 'link.empty' };
  if (/[\s\p{Cc}\\<>"{}|^`\uFF01-\uFF5E]/u.test(typed)) return { reason: 'link.character' };
  const scheme = typed.match(/^([^/?#:]+):/)?.[1].toLowerCase();
  const isPort = scheme?.includes('.') && /^[^/?#:]+:\d*(?:[/?#]|$)/.test(typed);
  if (typed.startsWith('/')) return { reason: 'link.scheme' };
  if (scheme && !isPort && !/^https?:\/\//i.test(typed)) return { reason: 'link.scheme' };
  const href = /^https?:\/\//i.test(typed) ? typed : `https://${typed}`;
  const authority = href.replace(/^[^:]+:\/\//, '').match(/^[^/?#]*/)[0];
  if (authority.includes('@')) return { reason: 'link.credentials' };
  if (!isHost(authority, href === typed)) return { reason: 'link.host' };
  if (encoder.encode(href).length > bytesMax) return { reason: 'link.long' };
  return { href };
}

/** A name that has no dot is a host only where the scheme says that one follows. */
function isHost(authority, hasScheme) {
  const [, name, port] = authority.match(/^(\[[^\]]*\]|[^:]*)(?::(.*))?$/) ?? [];
  if (name === undefined) return false;
  if (port !== undefined && !(/^\d+$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535)) return false;
  if (name.startsWith('[')) return URL.canParse(`http://${name}/`);
  const labels = name.replace(/\.$/, '').split('.');
  return (hasScheme || labels.length > 1)
    && labels.every((label) => /^[\p{L}\p{N}_\u0080-\u{10FFFF}-]+$/u.test(label) && !/^-|-$/.test(label));
}
