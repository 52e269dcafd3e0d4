// What moves on a page while its parts arrive one after the other, in an order that is chosen: the
// same on a busy machine and on a quiet one.

/** A script for new documents: keeps every shift, with what moved from where to where. */
export const noteShifts = () => {
  const name = (node) => {
    const element = node?.nodeType === Node.TEXT_NODE ? node.parentElement : node;
    if (!element) return "(gone)";
    const words = (of) => [of.localName, ...[...of.classList].filter((one) => !/^s[v-]/.test(one))];
    const path = [];
    for (let at = element; at && path.length < 4; at = at.parentElement) path.unshift(words(at));
    return `${path.map((one) => one.join(".")).join(" > ")} “${element.textContent.trim().slice(0, 24)}”`;
  };
  const place = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(" ");
  globalThis.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries())
      if (!hadRecentInput)
        globalThis.shifts.push({
          value,
          moved: sources.map(
            ({ node, previousRect, currentRect }) =>
              `${name(node)}: ${place(previousRect)} → ${place(currentRect)}`,
          ),
        });
  }).observe({ type: "layout-shift", buffered: true });
};

/** The sum of the shifts of the document so far, and the largest with what moved. */
export async function shiftsOf(page) {
  const shifts = await page.evaluate(() => globalThis.shifts);
  const sum = shifts.reduce((sum, { value }) => sum + value, 0);
  const worst = shifts.toSorted((a, b) => b.value - a.value).slice(0, 4);
  return { sum, worst };
}

/** Two frames: what an answer has changed is drawn. */
const drawn = (page) =>
  page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
  );

/** The orders in which what was asked for arrives: takes one of those that wait. */
export const ORDERS = {
  /** As it was asked for. */
  first: (waiting) => waiting.shift(),
  /** What was asked for last comes first. */
  last: (waiting) => waiting.pop(),
};

/**
 * Holds what the page asks for, the document aside, and lets it through one by one, each drawn
 * before the next one comes. The returned function opens an address and waits until the page asks
 * for no more.
 */
export async function arriveOneByOne(page, take) {
  const waiting = [];
  const ended = new Set();
  for (const end of ["requestfinished", "requestfailed"])
    page.on(end, (request) => ended.add(request));
  await page.route(/\/(api|assets)\//, (route) => {
    // A stream does not end, and nothing is drawn before the styles are there.
    if (["eventsource", "stylesheet"].includes(route.request().resourceType()))
      return route.continue();
    waiting.push(route);
  });
  return async (address) => {
    waiting.length = 0;
    ended.clear();
    await page.goto(address, { waitUntil: "commit" });
    for (let still = 0; still < STILL; still++) {
      await drawn(page);
      while (waiting.length > 0) {
        still = 0;
        const route = take(waiting);
        await route.continue().catch(() => undefined);
        // What the page gave up meanwhile does not arrive.
        for (let looks = 0; !ended.has(route.request()) && looks < LOOKS; looks++)
          await drawn(page);
        await drawn(page);
      }
    }
  };
}

/** How many times two frames have to pass without a request. */
const STILL = 3;
/** How many times two frames pass until a request counts as given up. */
const LOOKS = 100;
