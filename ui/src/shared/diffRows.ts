// Lays a parsed diff out as rows to draw: heads, lines, and long runs of unchanged lines folded into one row. Pure.
import type { DiffFile, DiffLine, Hunk, ParsedDiff } from './diff';

export type DiffRow =
  | { kind: 'file'; key: string; file: DiffFile; added: number; removed: number }
  | { kind: 'hunk'; key: string; hunk: Hunk; number: number; label: string }
  | { kind: 'fold'; key: string; count: number }
  | { kind: 'line'; key: string; line: DiffLine; hunk: Hunk; number: number; at: number };

/** Unchanged lines that stay visible on each side of a fold, and the shortest run that is folded. */
const AROUND = 3;
const SHORTEST_FOLD = 6;

export function diffRows(
  diff: ParsedDiff,
  opened: ReadonlySet<string>,
  heads: 'words' | 'positions' | 'none',
): DiffRow[] {
  const rows: DiffRow[] = [];
  let number = 0;
  diff.files.forEach((file, f) => {
    if (diff.files.length > 1) {
      rows.push({
        kind: 'file',
        key: `f${f}`,
        file,
        added: file.hunks.reduce((n, h) => n + h.added, 0),
        removed: file.hunks.reduce((n, h) => n + h.removed, 0),
      });
    }
    file.hunks.forEach((hunk, h) => {
      const key = `f${f}h${h}`;
      number++;
      if (heads !== 'none') rows.push({ kind: 'hunk', key, hunk, number, label: labelOf(hunk, heads) });
      let at = 0;
      while (at < hunk.lines.length) {
        let end = at;
        while (hunk.lines[end]?.kind === 'context') end++;
        const before = at === 0 ? 0 : AROUND;
        const after = end === hunk.lines.length ? 0 : AROUND;
        const hidden = end - at - before - after;
        const fold = `${key}l${at}`;
        if (hidden >= SHORTEST_FOLD && !opened.has(fold)) {
          lines(hunk, key, at, at + before);
          rows.push({ kind: 'fold', key: fold, count: hidden });
          lines(hunk, key, end - after, end);
        } else {
          lines(hunk, key, at, end);
        }
        at = end;
        while (at < hunk.lines.length && hunk.lines[at]?.kind !== 'context') at++;
        lines(hunk, key, end, at);
      }
    });
  });
  return rows;

  function lines(hunk: Hunk, key: string, from: number, to: number) {
    for (let at = from; at < to; at++) {
      const line = hunk.lines[at];
      if (line) rows.push({ kind: 'line', key: `${key}r${at}`, line, hunk, number, at });
    }
  }
}

/** `line 84, Worker::deliver_once`, or the positions as the diff has them. */
export function labelOf(hunk: Hunk, how: 'words' | 'positions'): string {
  // A file that is made has no old lines.
  const start = hunk.oldStart === 0 ? hunk.newStart : hunk.oldStart;
  if (how === 'words') return hunk.section ? `line ${start}, ${hunk.section}` : `line ${start}`;
  const old = hunk.lines.filter((l) => l.old !== null).length;
  const now = hunk.lines.filter((l) => l.new !== null).length;
  return `@@ -${hunk.oldStart},${old} +${hunk.newStart},${now} @@${hunk.section ? ` ${hunk.section}` : ''}`;
}

/** Where each row begins, in pixels; one more entry says where all end. */
export function offsets(rows: DiffRow[]): Float64Array {
  const tops = new Float64Array(rows.length + 1);
  rows.forEach((row, i) => (tops[i + 1] = (tops[i] ?? 0) + heightOf(row)));
  return tops;
}

function heightOf(row: DiffRow): number {
  switch (row.kind) {
    case 'file':
    case 'hunk':
      return 28;
    case 'fold':
      return 24;
    case 'line':
      return 20;
  }
}

/** The rows that a view from `top` to `bottom` touches, with some to spare. */
export function visible(tops: Float64Array, top: number, bottom: number, spare = 20): { from: number; to: number } {
  const last = tops.length - 1;
  const find = (y: number) => {
    let [low, high] = [0, last];
    while (low < high) {
      const mid = (low + high) >> 1;
      if ((tops[mid + 1] ?? Infinity) <= y) low = mid + 1;
      else high = mid;
    }
    return low;
  };
  return { from: Math.max(0, find(top) - spare), to: Math.min(last, find(bottom) + 1 + spare) };
}
