const bytesMax = 2_048;
const encoder = new TextEncoder();

/**
 * Checks a link while the user types. A valid link has the scheme http or https, a host, and no password, as on the
 * server. Only the server's check is binding.
 *
 * @returns {{href: string}|{reason: string, handle: string}} The complete link, or the key of the text that describes
 *   the error. `handle` is the name in a text such as "@ada".
 */
export function checkLink(text) {
  const typed = text.trim();
  if (!typed) return { reason: 'link.empty' };
  const handle = typed.match(/^@([\p{L}\p{N}_.-]+)$/u)?.[1];
  if (handle) return { reason: 'link.handle', handle };
  if (/\s/.test(typed)) return { reason: 'link.space' };
  if (/[\p{Cc}\\<>"{}|^\u0060\uFF01-\uFF5E]/u.test(typed)) return { reason: 'link.character' };
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

/** Returns true for a valid host. A name without a dot is a host only after an explicit scheme. */
function isHost(authority, hasScheme) {
  const [, name, port] = authority.match(/^(\[[^\]]*\]|[^:]*)(?::(.*))?$/) ?? [];
  if (name === undefined) return false;
  if (port !== undefined && !(/^\d+$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535)) return false;
  if (name.startsWith('[')) return URL.canParse(`http://${name}/`);
  const labels = name.replace(/\.$/, '').split('.');
  return (hasScheme || labels.length > 1)
    && labels.every((label) => /^[\p{L}\p{N}_\u0080-\u{10FFFF}-]+$/u.test(label) && !/^-|-$/.test(label));
}
