// Opening the page without the server, for those who have installed it or used the engine in it.

/**
 * Lets the browser keep the files of the page and the engine, so that both open when the server
 * does not answer. Browsers do this over HTTPS, and on this computer.
 */
export function keepForOffline(): void {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  const { serviceWorker } = navigator;
  const registered = serviceWorker.register("/sw.js", { updateViaCache: "none" });
  registered.catch(() => {}); // Then the page needs the server, as before.
  // A page that was on its way while the worker began is not the worker's yet.
  void serviceWorker.ready.then(({ active }) => {
    if (!serviceWorker.controller) active?.postMessage("claim");
  });
}

/** An installed page keeps its files at once: it may be opened first without a connection. */
export function keepWhenInstalled(): void {
  if (matchMedia("(display-mode: standalone)").matches) keepForOffline();
  else addEventListener("appinstalled", keepForOffline, { once: true });
}
