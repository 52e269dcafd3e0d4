/** What the reader is told before the title, such as that it is the reader's turn. */
let notice: string | null = null;
let parts: (string | undefined)[] = [];

/** Sets the title of the tab and of the history entry; the most specific part comes first. */
export function setTitle(...texts: (string | undefined)[]): void {
  parts = texts;
  showTitle();
}

/** Puts a notice before the title, or takes it away. */
export function setTitleNotice(text: string | null): void {
  notice = text;
  showTitle();
}

function showTitle(): void {
  document.title = [notice && `● ${notice}`, ...parts, "Leitai 擂台"].filter(Boolean).join(" · ");
}
