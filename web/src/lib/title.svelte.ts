/** Names the page in the tab and in the history: a part or two, most particular first. */
export function setTitle(...parts: (string | undefined)[]): void {
  document.title = [...parts.filter(Boolean), "Leitai 擂台"].join(" · ");
}
