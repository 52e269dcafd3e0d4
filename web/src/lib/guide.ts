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

/** A position of a guide as the server sends it, in the JSON of a block `position`. */
export interface GuidePosition {
  /** What the picture shows. */
  alt: string;
  /** The caption in "How to play"; absent in pictures that are not in it. */
  how?: string;
  /** The seat whose knowledge is shown; null for everything. */
  seat: "first" | "second" | null;
  /** Left column, top row, columns and rows of the shown part; null for the whole board. */
  area: [number, number, number, number] | null;
  setup: unknown;
  before: unknown;
  view: unknown;
  frame: unknown;
}

/** The Markdown and the pictures of a guide, in order. */
export function splitGuide(markdown: string): (string | GuidePosition)[] {
  return markdown
    .split(/^```position\n([^]*?)^```$/m)
    .map((part, at) => (at % 2 ? readPosition(part) : part))
    .filter((part) => part !== "");
}

/** The pictures of "How to play", in order. */
export function howToPlay(markdown: string): GuidePosition[] {
  return splitGuide(markdown).filter(
    (part): part is GuidePosition => typeof part !== "string" && part.how !== undefined,
  );
}

/** A block that no viewer can draw stays text. */
function readPosition(json: string): string | GuidePosition {
  const asText = `\`\`\`\n${json}\`\`\`\n`;
  try {
    const position = JSON.parse(json) as Partial<GuidePosition> | null;
    return position?.view && position.frame ? (position as GuidePosition) : asText;
  } catch {
    return asText;
  }
}
