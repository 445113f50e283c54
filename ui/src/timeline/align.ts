// Finds rows again when others have come to stand before them, or went.
import type { Row } from '../session/rows';

type Places = ReadonlyMap<string, { parent: string | null; at: number }>;

/**
 * The first row from `from` on that still stands in the main thread with the same row behind it: one that moved to where it
 * really began is none to hold on to. Null where there is none.
 */
export function sameRow(keys: readonly string[], from: number, places: Places): { was: number; is: number } | null {
  const at = (i: number) => {
    const place = places.get(keys[i] ?? '');
    return place && place.parent === null ? place.at : null;
  };
  for (let was = Math.max(0, from); was < keys.length; was++) {
    const is = at(was);
    if (is !== null && (was === keys.length - 1 || at(was + 1) === is + 1)) return { was, is };
  }
  for (let was = Math.min(from, keys.length) - 1; was >= 0; was--) {
    const is = at(was);
    if (is !== null) return { was, is };
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
