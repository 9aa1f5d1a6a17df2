import { element } from './element.js';
import { say } from './language.js';

/** Returns the host of an http or https link. Null for any other text, which views show without a link. */
export function host(link) {
  try {
    const url = new URL(link);
    return ['http:', 'https:'].includes(url.protocol) ? url.host : null;
  } catch {
    return null;
  }
}

/**
 * Returns a link that opens in a new tab without access to this tab. A long text breaks after a dot if it can. Returns
 * plain text for an entry without a web address.
 */
export function link(entry, text = entry.link) {
  if (entry.host === null) return element('span.quiet', {}, entry.link || say('no-link'));
  const parts = text.split(/(?<=\.)/).flatMap((part) => [element('wbr'), part]);
  return element(
    'a', { href: entry.link, target: '_blank', rel: 'noopener noreferrer nofollow ugc' }, ...parts);
}
