// Reads a unified diff into files, hunks and lines. Pure. It trusts the counts of the hunk heads, so that a changed line
// which itself begins with `--` or `++` is not taken for a file head.

export type DiffLine = {
  kind: 'context' | 'added' | 'removed';
  /** Line numbers from 1; null on the side where the line does not exist. */
  old: number | null;
  new: number | null;
  /** Without sign and line end. */
  text: string;
  /** The line ended in CR LF. */
  crlf: boolean;
  /** The file ends here without a line end. */
  noNewline: boolean;
};

export type Hunk = {
  oldStart: number;
  newStart: number;
  /** What stands behind the second `@@`: usually the function around it. */
  section: string;
  lines: DiffLine[];
  added: number;
  removed: number;
};

export type DiffFile = {
  /** Null for a file that is made or removed. */
  oldPath: string | null;
  newPath: string | null;
  hunks: Hunk[];
};

export type ParsedDiff = {
  files: DiffFile[];
  added: number;
  removed: number;
  /** Lines of both kinds of line end: a change of line ends alone is then marked on the line. */
  mixedLineEnds: boolean;
  lineCount: number;
};

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;

export function parseDiff(diff: string): ParsedDiff {
  const files: DiffFile[] = [];
  let file: DiffFile | null = null;
  let hunk: Hunk | null = null;
  let oldLeft = 0;
  let newLeft = 0;
  let oldAt = 0;
  let newAt = 0;
  let total = 0;
  let withCr = 0;

  const currentFile = () => {
    if (!file) files.push((file = { oldPath: null, newPath: null, hunks: [] }));
    return file;
  };
  const push = (kind: DiffLine['kind'], raw: string) => {
    if (!hunk) return;
    const crlf = raw.endsWith('\r');
    const text = crlf ? raw.slice(0, -1) : raw;
    const inOld = kind !== 'added';
    const inNew = kind !== 'removed';
    hunk.lines.push({ kind, old: inOld ? oldAt : null, new: inNew ? newAt : null, text, crlf, noNewline: false });
    if (inOld) {
      oldAt++;
      oldLeft--;
    }
    if (inNew) {
      newAt++;
      newLeft--;
    }
    if (kind === 'added') hunk.added++;
    if (kind === 'removed') hunk.removed++;
    total++;
    if (crlf) withCr++;
  };

  for (const line of linesOf(diff)) {
    if (line.startsWith('\\')) {
      const last = hunk?.lines.at(-1);
      if (last) last.noNewline = true;
      continue;
    }
    if (hunk && (oldLeft > 0 || newLeft > 0)) {
      const sign = line[0];
      if (sign === '+' && newLeft > 0) push('added', line.slice(1));
      else if (sign === '-' && oldLeft > 0) push('removed', line.slice(1));
      else if (sign === ' ') push('context', line.slice(1));
      // Some writers drop the blank in front of an empty context line.
      else if (line === '' || line === '\r') push('context', line);
      else hunk = null;
      if (hunk) continue;
    }
    const head = HUNK.exec(line.endsWith('\r') ? line.slice(0, -1) : line);
    if (head) {
      oldAt = Number(head[1]);
      newAt = Number(head[3]);
      oldLeft = head[2] === undefined ? 1 : Number(head[2]);
      newLeft = head[4] === undefined ? 1 : Number(head[4]);
      hunk = { oldStart: oldAt, newStart: newAt, section: (head[5] ?? '').trim(), lines: [], added: 0, removed: 0 };
      currentFile().hunks.push(hunk);
    } else if (line.startsWith('--- ')) {
      files.push((file = { oldPath: pathOf(line.slice(4), 'a/'), newPath: null, hunks: [] }));
      hunk = null;
    } else if (line.startsWith('+++ ')) {
      currentFile().newPath = pathOf(line.slice(4), 'b/');
      hunk = null;
    }
  }

  const shown = files.filter((f) => f.hunks.length > 0);
  const sum = (pick: (h: Hunk) => number) =>
    shown.reduce((all, f) => all + f.hunks.reduce((n, h) => n + pick(h), 0), 0);
  return {
    files: shown,
    added: sum((h) => h.added),
    removed: sum((h) => h.removed),
    mixedLineEnds: withCr > 0 && withCr < total,
    lineCount: total,
  };
}

/** A new file as a diff: every line added. */
export function allAdded(content: string): string {
  if (content === '') return '';
  const ends = content.endsWith('\n');
  const lines = (ends ? content.slice(0, -1) : content).split('\n');
  const body = lines.map((line) => `+${line}`).join('\n');
  return `@@ -0,0 +1,${lines.length} @@\n${body}\n${ends ? '' : '\\ No newline at end of file\n'}`;
}

/** The lines of a text without the empty one behind the last line end. Only LF parts lines: a CR belongs to its line. */
function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function pathOf(raw: string, prefix: string): string | null {
  const path = raw
    .replace(/\r$/, '')
    .replace(/\t.*$/, '')
    .replace(/^"(.*)"$/, '$1');
  if (path === '/dev/null') return null;
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}

/** A text put in place of another, without knowledge of what they share: all of the one removed, all of the other added. */
export function replaced(before: string, after: string, start: number): string {
  const [old, now] = [linesOf(before), linesOf(after)];
  const body = [...old.map((line) => `-${line}`), ...now.map((line) => `+${line}`)].join('\n');
  return `@@ -${start},${old.length} +${start},${now.length} @@\n${body}\n`;
}
