/** Does something now and again, but not while nobody looks. Give it to `$effect`: what it returns ends it. */
export function poll(every: number, act: () => void): () => void {
  act();
  const timer = setInterval(() => {
    if (!document.hidden) act();
  }, every);
  return () => clearInterval(timer);
}
