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

export type Side = 'old' | 'new';
/** A line by its number on one side. */
export type At = { side: Side; line: number };

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
  /** What git's own head lines say, where there are any. */
  renamed: boolean;
  copied: boolean;
  binary: boolean;
  /** Such as `100755`; null where the mode did not change. */
  oldMode: string | null;
  newMode: string | null;
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

  const begin = (oldPath: string | null, newPath: string | null) => {
    file = { oldPath, newPath, hunks: [], renamed: false, copied: false, binary: false, oldMode: null, newMode: null };
    files.push(file);
    hunk = null;
    return file;
  };
  const currentFile = () => file ?? begin(null, null);
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

  /** A head begins with `diff --git`; its other lines add to it. */
  let inGitHead = false;
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
      const { hunks } = currentFile();
      hunk = { oldStart: oldAt, newStart: newAt, section: (head[5] ?? '').trim(), lines: [], added: 0, removed: 0 };
      hunks.push(hunk);
      inGitHead = false;
    } else if (line.startsWith('diff --git ')) {
      const [oldPath, newPath] = gitPaths(line.slice(11));
      begin(oldPath, newPath);
      inGitHead = true;
    } else if (line.startsWith('--- ')) {
      const path = pathOf(line.slice(4), 'a/');
      if (inGitHead) currentFile().oldPath = path;
      else begin(path, null);
      hunk = null;
    } else if (line.startsWith('+++ ')) {
      currentFile().newPath = pathOf(line.slice(4), 'b/');
      hunk = null;
    } else if (inGitHead) {
      gitHead(currentFile(), line.replace(/\r$/, ''));
    } else if (/^Binary files .* differ\r?$/.test(line)) {
      currentFile().binary = true;
    }
  }

  const shown = files.filter(says);
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

/** A head without hunks says something where a file is renamed, is binary, changes its mode, or comes or goes empty. */
function says(file: DiffFile): boolean {
  const { oldPath, newPath } = file;
  const comesOrGoes = (oldPath === null) !== (newPath === null);
  return file.hunks.length > 0 || file.renamed || file.copied || file.binary || file.newMode !== null || comesOrGoes;
}

function gitHead(file: DiffFile, line: string): void {
  const [, word = '', rest = ''] =
    /^(rename from|rename to|copy from|copy to|old mode|new mode|new file mode|deleted file mode) (.*)$/.exec(line) ??
    [];
  if (word === 'rename from' || word === 'copy from') file.oldPath = unquoted(rest);
  if (word === 'rename to' || word === 'copy to') file.newPath = unquoted(rest);
  if (word.startsWith('rename')) file.renamed = true;
  if (word.startsWith('copy')) file.copied = true;
  if (word === 'old mode') file.oldMode = rest;
  if (word === 'new mode') file.newMode = rest;
  if (word === 'new file mode') file.oldPath = null;
  if (word === 'deleted file mode') file.newPath = null;
  if (/^(Binary files .* differ|GIT binary patch)$/.test(line)) file.binary = true;
}

/** Both names of `diff --git`: they are the same unless later lines say otherwise, which is what parts them at a blank. */
function gitPaths(rest: string): [string | null, string | null] {
  const text = rest.replace(/\r$/, '');
  const quoted = /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S+)$/.exec(text);
  if (quoted) return [pathOf(quoted[1] ?? '', 'a/'), pathOf(quoted[2] ?? '', 'b/')];
  const half = text.slice(0, (text.length - 1) / 2);
  return text.length % 2 === 1 && text.slice(half.length + 1).slice(1) === half.slice(1)
    ? [pathOf(half, 'a/'), pathOf(text.slice(half.length + 1), 'b/')]
    : [text, text];
}

/** What a file's head says besides its lines, for a person. */
export function headWords(file: DiffFile): string[] {
  const words: string[] = [];
  const { oldPath, newPath, oldMode, newMode } = file;
  if (oldPath === null && newPath !== null)
    words.push(file.hunks.length > 0 || file.binary ? 'New file' : 'New empty file');
  if (newPath === null && oldPath !== null)
    words.push(file.hunks.length > 0 || file.binary ? 'Deleted file' : 'Deleted empty file');
  if (file.renamed)
    words.push(`Renamed from ${oldPath ?? '?'}${file.hunks.length === 0 ? ', its text is the same' : ''}`);
  if (file.copied) words.push(`Copied from ${oldPath ?? '?'}`);
  if (oldMode !== null && newMode !== null) words.push(modeWords(oldMode, newMode));
  if (file.binary) words.push('Binary: what changed cannot be shown as lines');
  return words;
}

function modeWords(before: string, after: string): string {
  const runs = (mode: string) => mode.endsWith('755');
  if (runs(after) && !runs(before)) return 'Made executable';
  if (runs(before) && !runs(after)) return 'No longer executable';
  return `Mode ${before} became ${after}`;
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
  const path = unquoted(raw.replace(/\r$/, '').replace(/\t.*$/, ''));
  if (path === '/dev/null') return null;
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}

/** Git quotes a path that holds odd characters, with C's escapes; bytes beyond ASCII are octal. */
function unquoted(path: string): string {
  const inner = /^"(.*)"$/.exec(path)?.[1];
  if (inner === undefined) return path;
  const bytes: number[] = [];
  for (const [piece] of inner.matchAll(/\\[0-7]{3}|\\.|[^\\]+|\\$/gu)) {
    if (/^\\[0-7]/.test(piece)) bytes.push(parseInt(piece.slice(1), 8));
    else if (piece.startsWith('\\')) bytes.push(...encoder.encode(ESCAPES[piece[1] ?? ''] ?? piece[1] ?? '\\'));
    else bytes.push(...encoder.encode(piece));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

const encoder = new TextEncoder();
const ESCAPES: Record<string, string> = { a: '\u0007', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };
