/*
 * The service worker: opens the page without a connection. It keeps the files of one version of the page, and no
 * answer of the API. The page itself keeps the last list (latest/kept-list.js).
 */

// The server inserts the folder of its own version here. A new version therefore has a new worker.
const root = "assets/";
const views = /^\/(|table|posts|account|pin\/[^/]+|reset|confirm|admin)$/;
const patienceMs = 3_000;

addEventListener('install', (event) => event.waitUntil(install()));
addEventListener('activate', (event) => event.waitUntil(activate()));
addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin) return;
  if (pathname.startsWith(root)) event.respondWith(file(request));
  else if (request.mode === 'navigate' && views.test(pathname)) event.respondWith(view(event, pathname));
});

/** Loads the document and all files that it names. The browser still has them, because the page has just used them. */
async function install() {
  const shell = await fetch('/', { headers: { Accept: 'text/html' } });
  const files = [...(await shell.clone().text()).matchAll(/"(\/page\/[^"]+)"/g)].map(([, path]) => path);
  if (!files.length || !files.every((path) => path.startsWith(root))) throw new Error('another version');
  const cache = await caches.open(root);
  await cache.addAll([...new Set(files)]);
  await cache.put('/', shell);
  // The worker before this one has only files that the server no longer has.
  await skipWaiting();
}

/** Deletes the files of other versions, and informs the open pages about the version that it serves. */
async function activate() {
  const others = (await caches.keys()).filter((name) => name !== root);
  await Promise.all(others.map((name) => caches.delete(name)));
  await clients.claim();
  for (const page of await clients.matchAll()) page.postMessage(root);
}

/** Returns a file of this version, which never changes. */
async function file(request) {
  const cache = await caches.open(root);
  const kept = await cache.match(request, { ignoreVary: true });
  if (kept) return kept;
  const response = await fetch(request);
  if (response.ok) await cache.put(request, response.clone());
  return response;
}

/** Returns a document from the server. Returns the kept one if the server is away or needs too long. */
async function view(event, path) {
  const name = path === '/admin' ? path : '/';
  const kept = await (await caches.open(root)).match(name, { ignoreVary: true });
  const answer = fetch(event.request);
  if (path === name) event.waitUntil(answer.then((response) => keep(name, response.clone())).catch(() => {}));
  if (!kept) return answer;
  const late = new Promise((resolve) => { setTimeout(resolve, patienceMs, kept); });
  // A gateway or a reverse proxy answers with 502 to 504 while ingest is away.
  return Promise.race([answer.then((response) => (response.status < 500 ? response : kept), () => kept), late]);
}

/** Keeps a document of this version, in the language that the user chose last. */
async function keep(name, response) {
  const copy = response.clone();
  if (!response.ok || !(await response.text()).includes(`"${root}`)) return;
  await (await caches.open(root)).put(name, copy);
}
