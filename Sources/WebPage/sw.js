/*
 * The service worker: opens the page without a connection. It keeps the files of one version of the page, and no
 * answer of the API. The page itself keeps the last list (latest/kept-list.js).
 */

// The server inserts the folder of its own version here. A new version therefore has a new worker.
const root = "assets/";
const views = /^\/(|table|posts|account|pin\/[^/]+|reset|confirm|admin)$/;
/** The kept documents. All views but the operator's page have the same document, apart from its title. */
const documents = ['/', '/admin'];
/** Headers that differ if the user has chosen another language, or the operator another feed or tile server. */
const changing = ['Content-Language', 'Content-Security-Policy'];
const html = { headers: { Accept: 'text/html' } };
const patienceMs = 3_000;

addEventListener('install', (event) => event.waitUntil(install()));
addEventListener('activate', (event) => event.waitUntil(activate()));
addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  // The files of other servers, such as the operator's tiles, are the browser's own business.
  if (request.method !== 'GET' || origin !== location.origin) return;
  if (pathname.startsWith(root)) event.respondWith(file(event));
  else if (request.mode === 'navigate' && views.test(pathname)) event.respondWith(view(event, pathname));
});

/**
 * Loads the document, all files that it names, and the names on the map. The browser still has them, because the page
 * has just used them.
 */
async function install() {
  const shell = await fetch('/', html);
  const files = [...(await shell.clone().text()).matchAll(/"(\/page\/[^"]+)"/g)].map(([, path]) => path);
  if (!files.length || !files.every((path) => path.startsWith(root))) throw new Error('another version');
  files.push(`${root}names.json`);
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

/** Returns a kept file or document. Undefined if there is none. */
function kept(name) {
  return caches.match(name, { cacheName: root, ignoreVary: true });
}

async function keep(name, response) {
  await (await caches.open(root)).put(name, response);
}

/** Returns a file of this version, which never changes. */
async function file(event) {
  const own = await kept(event.request);
  if (own) return own;
  const response = await fetch(event.request);
  // The page needs the file even if the disk is full.
  if (response.ok) event.waitUntil(keep(event.request, response.clone()).catch(() => {}));
  return response;
}

/** Returns a document from the server. Returns the kept one if the server is away or needs too long. */
async function view(event, path) {
  const own = await kept(path === '/admin' ? path : '/');
  const answer = fetch(event.request);
  event.waitUntil(answer.then((response) => learn(path, response.clone(), event.resultingClientId)).catch(() => {}));
  if (!own) return answer;
  const late = new Promise((resolve) => { setTimeout(resolve, patienceMs, own); });
  // A gateway or a reverse proxy answers with 502 to 504 while ingest is away.
  return Promise.race([answer.then((response) => (response.status < 500 ? response : own), () => own), late]);
}

/** Compares a document of the server with the kept ones, which it updates. */
async function learn(path, response, page) {
  const found = await rootOf(response.clone());
  // A gateway or a reverse proxy has answered.
  if (found === null) return;
  if (found !== root) {
    await replace(found, page);
    return;
  }
  for (const name of documents) {
    const own = await kept(name);
    if (name === path) await keep(name, response.clone());
    else if (own && changing.some((header) => own.headers.get(header) !== response.headers.get(header))) {
      const other = await fetch(name, html);
      if (await rootOf(other.clone()) === root) await keep(name, other);
    }
  }
}

/**
 * Deletes the kept documents, reports the server's version to the page, and updates the worker. The page may be a kept
 * one, because the server's answer came too late.
 */
async function replace(version, page) {
  // The old program must not open again, even if the server is slow again.
  const cache = await caches.open(root);
  await Promise.all(documents.map((name) => cache.delete(name)));
  (await clients.get(page))?.postMessage(version);
  await registration.update();
}

/** Returns the folder of the version that a document names. Null if the response is no document of the page. */
async function rootOf(response) {
  return (await response.text()).match(/"(\/page\/[^/"]+\/)/)?.[1] ?? null;
}
