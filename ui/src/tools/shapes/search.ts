// What a search prints, as files with the lines that were found in them. Pure. A text in no known form is null, and is then
// shown as it came.

export type FoundLine = { number: number; text: string; /** It stands beside what was found. */ beside: boolean };
export type FoundFile = {
  path: string;
  lines: FoundLine[];
  /** How often it was found, where only that was asked for. */
  count: number | null;
};

/** A drive letter may stand before the first colon. */
const HIT = /^((?:[A-Za-z]:[\\/])?[^:\0]+):(\d+):(.*)$/s;
const COUNT = /^((?:[A-Za-z]:[\\/])?[^:\0]+):(\d+)$/;
const ALONE = /^(\d+)([:-])(.*)$/s;

/** `path`: the file or folder that was searched. */
export function readFound(content: string, path: string | null): FoundFile[] | null {
  const lines = content
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => line.replace(/\r$/, ''));
  // Of one file first: `12:08:15:00 started` is its line 12, and no line 8 of a file `12`.
  return (path === null ? null : inOneFile(lines, path)) ?? counted(lines) ?? inFiles(lines);
}

function counted(lines: string[]): FoundFile[] | null {
  const found = lines.map((line) => COUNT.exec(line));
  if (!found.every((match) => match !== null)) return null;
  return found.map((match) => ({ path: match[1] ?? '', lines: [], count: Number(match[2]) }));
}

function inFiles(lines: string[]): FoundFile[] | null {
  const hits = lines.map((line) => HIT.exec(line));
  if (!hits.some((hit) => hit !== null)) return null;
  const files: FoundFile[] = [];
  const at = new Map<string, FoundFile>();
  const add = (path: string, line: FoundLine) => {
    let file = at.get(path);
    if (!file) {
      at.set(path, (file = { path, lines: [], count: null }));
      files.push(file);
    }
    file.lines.push(line);
  };
  for (const [i, line] of lines.entries()) {
    const hit = hits[i];
    if (hit) {
      add(hit[1] ?? '', { number: Number(hit[2]), text: hit[3] ?? '', beside: false });
      continue;
    }
    if (line === '--' || line.trim() === '') continue;
    // A line beside a hit is written `path-12-text`; which path that is, the hits around it say.
    const beside = besideOf(line, near(hits, i));
    if (!beside) return null;
    add(beside.path, beside.line);
  }
  return files;
}

/** The paths of the hits just before and behind a line. */
function near(hits: (RegExpExecArray | null)[], at: number): string[] {
  const paths: string[] = [];
  for (let i = at - 1; i >= 0 && at - i < 60; i--)
    if (hits[i]) {
      paths.push(hits[i]?.[1] ?? '');
      break;
    }
  for (let i = at + 1; i < hits.length && i - at < 60; i++)
    if (hits[i]) {
      paths.push(hits[i]?.[1] ?? '');
      break;
    }
  return paths;
}

function besideOf(line: string, paths: string[]): { path: string; line: FoundLine } | null {
  for (const path of paths) {
    if (!line.startsWith(`${path}-`)) continue;
    const rest = /^(\d+)-(.*)$/s.exec(line.slice(path.length + 1));
    if (rest) return { path, line: { number: Number(rest[1]), text: rest[2] ?? '', beside: true } };
  }
  return null;
}

/** Each line with its number alone, and the numbers rise. */
function inOneFile(lines: string[], path: string): FoundFile[] | null {
  const found: FoundLine[] = [];
  let before = 0;
  for (const line of lines) {
    if (line === '--') continue;
    const match = ALONE.exec(line);
    const number = Number(match?.[1]);
    if (!match || !(number > before)) return null;
    before = number;
    found.push({ number, text: match[3] ?? '', beside: match[2] === '-' });
  }
  return found.some((line) => !line.beside) ? [{ path, lines: found, count: null }] : null;
}

/** Each of them multiplies the time that a line can take by its length. */
const MOST_REPEATS = 3;

/** Where a pattern matches in a line. A pattern that could take long, or that is no pattern here, marks nothing. */
export function marker(pattern: string | null): (line: string) => [number, number][] {
  const nothing = () => [];
  if (pattern === null || pattern === '' || pattern.length > 200) return nothing;
  // What repeats a group can take for ever, and what repeats often takes long.
  if (/\)[*+?{]|\\[1-9]|\(\?[<!=]/.test(pattern)) return nothing;
  if ((pattern.match(/[*+]|\{\d+,\d*\}/g) ?? []).length > MOST_REPEATS) return nothing;
  let wanted: RegExp;
  try {
    wanted = new RegExp(pattern, 'g');
  } catch {
    return nothing;
  }
  return (line) => {
    if (line.length > 1000) return [];
    const marks: [number, number][] = [];
    for (const match of line.matchAll(wanted)) {
      if (match[0] !== '') marks.push([match.index, match.index + match[0].length]);
      if (marks.length >= 20) break;
    }
    return marks;
  };
}
