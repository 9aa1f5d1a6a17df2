import { asset } from './common/asset.js';
import { say } from './common/language.js';
import { toast } from './common/toast.js';

const dayMs = 86_400_000;

/** Installs the service worker, which opens the page without a connection. Offers a reload after an update. */
export function install(status) {
  const workers = navigator.serviceWorker;
  // Browsers have service workers only on pages of their own host and of https.
  if (workers === undefined) return;
  const register = () => workers.register('/sw.js').catch(() => {});
  if (document.readyState === 'complete') register();
  else addEventListener('load', register, { once: true });
  // A new worker reports the folder of its version.
  workers.addEventListener('message', ({ data }) => {
    if (new URL(data, location.href).href !== asset('.')) offerReload();
  });
  let wasOffline = false;
  status.addEventListener('change', async () => {
    // An update restarts the server.
    if (wasOffline && status.state !== 'offline') (await workers.getRegistration())?.update().catch(() => {});
    wasOffline = status.state === 'offline';
  });
}

/** Shows that there is a new version, as soon as no dialog is open. */
function offerReload() {
  if (document.querySelector('dialog[open]')) {
    document.addEventListener('close', offerReload, { capture: true, once: true });
    return;
  }
  toast(say('update'), { label: say('reload'), run: () => location.reload() }, dayMs);
}
