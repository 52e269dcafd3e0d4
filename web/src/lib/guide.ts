/**
 * The rules of a game as the page shows them: without the title, which the page has already, and
 * with links to other files of the source as what they are called, for those files are not here.
 */
export function rulesForPage(markdown: string): string {
  const lines = markdown.split("\n");
  const title = lines.findIndex((line) => line.startsWith("# "));
  if (title >= 0 && title < 3) lines.splice(title, 1);
  const kept = lines.filter((line) => !/^\[(简体中文|English)\]\([^)]*\)\s*$/.test(line));
  return kept.join("\n").replace(/\[([^\]]*)\]\((?!https?:|#)[^)]*\)/g, "$1");
}
