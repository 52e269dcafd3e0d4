// Opens the page without the server: the build puts a list of files in front of this script
// (vite.config.ts) and writes both as sw.js. lib/offline.ts registers it once the engine was used.
//
// A page is always asked of the server first, so that a new build is shown at the next load; what
// is kept here is shown only where the server does not answer. Files in assets/ have a digest of
// their content in their names, so a kept one is the right one. Answers of the API are never kept
// here; the page keeps games from files that were loaded (lib/engine/kept_games.ts).

/* global KEPT */
const NAME = `leitai-${KEPT.version}`;
const PAGE = "/";

self.addEventListener("install", (event) => {
    event.waitUntil(keepFiles().then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
    event.waitUntil(forgetOlder().then(() => self.clients.claim()));
});

// A page that was on its way meanwhile asks for it.
self.addEventListener("message", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
    const { request } = event;
    const { origin, pathname } = new URL(request.url);
    if (request.method !== "GET" || origin !== self.location.origin) return;
    if (/^\/(api|docs|sign-in)(\/|$)/.test(pathname)) return;
    // First: the frame of strangers' boards is a document, but no page.
    if (pathname.startsWith("/assets/")) event.respondWith(askCacheFirst(request));
    else if (request.mode === "navigate") event.respondWith(askServerFirst(request, PAGE));
    else if (KEPT.others.includes(pathname)) event.respondWith(askServerFirst(request, pathname));
});

async function keepFiles() {
    const cache = await caches.open(NAME);
    await cache.addAll(KEPT.assets);
    // The browser may have kept these from an earlier build.
    await cache.addAll(
        [PAGE, ...KEPT.others].map((path) => new Request(path, { cache: "reload" })),
    );
}

async function forgetOlder() {
    const names = await caches.keys();
    const older = names.filter((name) => name.startsWith("leitai-") && name !== NAME);
    await Promise.all(older.map((name) => caches.delete(name)));
}

async function askServerFirst(request, path) {
    try {
        return await fetch(request);
    } catch (error) {
        const kept = await (await caches.open(NAME)).match(path);
        if (kept) return kept;
        throw error;
    }
}

async function askCacheFirst(request) {
    const kept = await (await caches.open(NAME)).match(request);
    return kept ?? fetch(request);
}
