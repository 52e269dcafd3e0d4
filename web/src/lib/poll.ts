/**
 * Repeats an action while the page is visible. The returned function ends it, as `$effect` wants.
 */
export function poll(every: number, act: () => void): () => void {
  act();
  const timer = setInterval(() => {
    if (!document.hidden) act();
  }, every);
  return () => clearInterval(timer);
}
