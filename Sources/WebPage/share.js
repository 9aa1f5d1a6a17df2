import { Dialog } from './common/dialog.js';
import { element } from './common/element.js';
import { say } from './common/language.js';
import { toast } from './common/toast.js';

/** Returns the text of a button that shares: the device's own menu does it, or the page copies the link. */
export function shareLabel() {
  return say(navigator.share ? 'share' : 'share.copy');
}

/** Offers a path of this site to the device's apps. Without such a menu, copies the link, or shows it to be copied. */
export async function share(path, title) {
  const url = new URL(path, location.origin).href;
  try {
    if (navigator.share) {
      await navigator.share({ title, url });
      return;
    }
    // Browsers have a clipboard only for a secure page, and the user may forbid it.
    await navigator.clipboard.writeText(url);
    toast(say('share.copied'));
  } catch (error) {
    // The user has closed the device's menu.
    if (error.name !== 'AbortError') showLink(url);
  }
}

function showLink(url) {
  const dialog = new Dialog(say('share.copy'), 'share');
  const field = element('input', { id: 'share-link', readonly: true, value: url });
  dialog.body.append(element('label', { for: 'share-link' }, say('share.select')), field);
  dialog.show();
  field.select();
}
