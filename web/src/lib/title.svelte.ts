/** Sets the title of the tab and of the history entry; the most specific part comes first. */
export function setTitle(...parts: (string | undefined)[]): void {
  document.title = [...parts.filter(Boolean), "Leitai 擂台"].join(" · ");
}
