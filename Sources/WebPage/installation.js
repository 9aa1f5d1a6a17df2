import { asset } from './common/asset.js';
import { say } from './common/language.js';
import { toast } from './common/toast.js';

const dayMs = 86_400_000;
const workers = navigator.serviceWorker;
let isOffered = false;

/** Installs the service worker, which opens the page without a connection. Looks for an update after an outage. */
export function install(status) {
  // Browsers have service workers only on pages of their own host and of https.
  if (workers === undefined) return;
  const register = () => workers.register('/sw.js').catch(() => {});
  if (document.readyState === 'complete') register();
  else addEventListener('load', register, { once: true });
  let wasOffline = false;
  status.addEventListener('change', async () => {
    // An update restarts the server.
    if (wasOffline && status.state !== 'offline') (await workers.getRegistration())?.update().catch(() => {});
    wasOffline = status.state === 'offline';
  });
}

/**
 * Offers a reload when a service worker reports the folder of another version. Call this before the page waits for
 * anything, because the browser delivers the worker's messages as soon as the document is complete.
 */
export function followUpdates() {
  workers?.addEventListener('message', ({ data }) => {
    if (new URL(data, location.href).href !== asset('.')) offerReload();
  });
}

/** Says once that there is a new version, as soon as no dialog is open. */
export function offerReload() {
  if (isOffered) return;
  if (document.querySelector('dialog[open]')) {
    document.addEventListener('close', offerReload, { capture: true, once: true });
    return;
  }
  isOffered = true;
  toast(say('update'), { label: say('reload'), run: () => location.reload() }, dayMs);
}
