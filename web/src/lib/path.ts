/** The values of the parts of a path that begin with a colon in the pattern. */
export type Params = Record<string, string>;

/**
 * The parameters of a path under a pattern like `/bots/:id`; null if it does not match. A slash at
 * the end is ignored.
 */
export function matchPattern(pattern: string, path: string): Params | null {
  const wanted = splitPath(pattern);
  const given = splitPath(path);
  if (wanted.length !== given.length) return null;
  const params: Params = {};
  for (const [index, want] of wanted.entries()) {
    const got = given[index] as string;
    if (want.startsWith(":")) params[want.slice(1)] = decodePart(got);
    else if (want !== got) return null;
  }
  return params;
}

/** A path with this query behind the one that it has, without null and empty values. */
export function withQuery(
  path: string,
  query: Record<string, string | number | null | undefined>,
): string {
  const pairs = Object.entries(query).filter(([, value]) => value != null && value !== "");
  const text = new URLSearchParams(pairs.map(([key, value]) => [key, String(value)])).toString();
  return text ? `${path}${path.includes("?") ? "&" : "?"}${text}` : path;
}

function splitPath(path: string): string[] {
  return path.split("/").filter((part) => part !== "");
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
