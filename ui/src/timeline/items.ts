// What of a view is drawn, and where. Pure but for the heights, which learn that a row is left out.
import type { Row } from '../session/rows';
import type { Viewport } from './viewport';

/** A row that is in the DOM, with the empty space above it. */
export type Item = { at: number; gap: number; row: Row };

/** The rows on screen and `pinned`, wherever that is. An item that is as it was is the same object again. */
export function itemsOn(
  viewport: Viewport,
  rows: readonly Row[],
  pinned: number,
  isOut: (row: Row) => boolean,
  before: readonly Item[],
): { items: Item[]; below: number } {
  const old = new Map(before.map((item) => [item.at, item]));
  const items: Item[] = [];
  let carried = 0;
  const mounted = viewport.mounted(pinned);
  for (const { at, gap } of mounted.rows) {
    const row = rows[at];
    if (!row) continue;
    if (isOut(row)) {
      viewport.measured(at, 0);
      carried += gap;
      continue;
    }
    const was = old.get(at);
    const whole = gap + carried;
    carried = 0;
    items.push(was && was.row === row && was.gap === whole ? was : { at, gap: whole, row });
  }
  return { items, below: mounted.below + carried };
}
