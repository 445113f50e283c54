// Finds rows again when others have come to stand before them, or went.
import type { Row } from '../session/rows';
import type { Entry } from './entries';
import type { Lines } from './lines';
import type { Outline } from './outline';

/**
 * The first line from `from` on that still stands with the same line behind it: one that moved to where it really began is
 * none to hold on to. Null where there is none. `before`: the lines as they were.
 */
export function sameLine(
  before: Lines<Entry>,
  from: Entry | null,
  now: Pick<Outline, 'entry' | 'lines'>,
): { was: Entry; is: Entry } | null {
  const found = (line: Entry | null) => {
    const is = line ? now.entry(line.key) : undefined;
    return is?.listed ? is : null;
  };
  for (let was = from; was !== null; was = before.next(was)) {
    const is = found(was);
    const behind = before.next(was);
    if (is && (behind === null || (found(behind) !== null && now.lines.next(is) === found(behind)))) return { was, is };
  }
  for (let was = from && before.previous(from); was !== null; was = before.previous(was)) {
    const is = found(was);
    if (is) return { was, is };
  }
  return null;
}

/** The row that an event stands in, by its number: the main thread's, and the way to it from there. */
export function rowAt(rows: readonly Row[], seq: number): { at: number; path: string[] } | null {
  for (let at = rows.length - 1; at >= 0; at--) {
    const row = rows[at];
    const path = row ? pathTo(row, seq) : null;
    if (path) return { at, path };
  }
  let at = rows.findLastIndex((row) => row.seq <= seq && row.kind !== 'void');
  if (at < 0) at = rows.findIndex((row) => row.kind !== 'void');
  const row = rows[at];
  return row ? { at, path: [row.key] } : null;
}

function pathTo(row: Row, seq: number): string[] | null {
  if (row.seq === seq && row.kind !== 'void' && row.kind !== 'try') return [row.key];
  if (row.kind !== 'tool' || row.seq > seq) return null;
  for (const child of row.children) {
    const path = pathTo(child, seq);
    if (path) return [row.key, ...path];
  }
  return null;
}
