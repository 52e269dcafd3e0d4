/**
 * The rules of a game as the page shows them: without the title, which the page has already, and
 * with links to other files of the source as what they are called, for those files are not here.
 */
export function rulesForPage(markdown: string): string {
  const kept = linesWithoutTitle(markdown).filter(
    (line) => !/^\[(简体中文|English)\]\([^)]*\)\s*$/.test(line),
  );
  return kept.join("\n").replace(/\[([^\]]*)\]\((?!https?:|#)[^)]*\)/g, "$1");
}

/**
 * The guide of a game file, as Markdown alone: a picture of it could be of any size, and a pattern
 * that looks for more than lines could be kept busy for minutes.
 */
export const strangersGuide = (markdown: string): GuidePart[] => [
  linesWithoutTitle(markdown).join("\n"),
];

function linesWithoutTitle(markdown: string): string[] {
  const lines = markdown.split("\n");
  const title = lines.findIndex((line) => line.startsWith("# "));
  if (title >= 0 && title < 3) lines.splice(title, 1);
  return lines;
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

/** The same program in several languages: headings with nothing but one block of code each. */
export interface GuidePrograms {
  programs: Program[];
}

export interface Program {
  /** The name of the language. */
  language: string;
  code: string;
}

export type GuidePart = string | GuidePosition | GuidePrograms;

/** The Markdown, the pictures and the programs of a guide, in order. */
export function splitGuide(markdown: string): GuidePart[] {
  return markdown
    .split(/^```position\n([^]*?)^```$/m)
    .flatMap((part, at): GuidePart[] => (at % 2 ? [readPosition(part)] : splitPrograms(part)))
    .filter((part) => part !== "");
}

/** The pictures of "How to play", in order. */
export function howToPlay(markdown: string): GuidePosition[] {
  return splitGuide(markdown).filter(
    (part): part is GuidePosition =>
      typeof part !== "string" && "alt" in part && part.how !== undefined,
  );
}

/** Two or more programs that follow each other are one part; a single one stays text. */
function splitPrograms(markdown: string): (string | GuidePrograms)[] {
  const parts: (string | GuidePrograms)[] = [];
  let [begin, end, programs]: [number, number, Program[]] = [0, 0, []];
  let textBegin = 0;
  const close = () => {
    if (programs.length < 2) return;
    parts.push(markdown.slice(textBegin, begin), { programs });
    textBegin = end;
  };
  for (const found of markdown.matchAll(/^### (.+)\n+```\w+\n([^]*?)^```\n*/gm)) {
    if (found.index !== end) {
      close();
      [begin, programs] = [found.index, []];
    }
    programs.push({ language: found[1] ?? "", code: found[2] ?? "" });
    end = found.index + found[0].length;
  }
  close();
  return [...parts, markdown.slice(textBegin)];
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
