// What of an outline is drawn, and where. Pure.
import type { Row } from '../session/rows';
import type { Entry } from './entries';
import type { Viewport } from './viewport';

/** A line that is in the DOM as it is now, with the empty space above it and its number among those that are drawn. */
export type Item = { key: string; entry: Entry; row: Row; rev: number; gap: number; number: number };

/** The lines on screen and those that are pinned, wherever they are. An item that is as it was is the same object again. */
export function itemsOn(
  viewport: Viewport<Entry>,
  pinned: readonly Entry[],
  before: readonly Item[],
): { items: Item[]; below: number } {
  const old = new Map(before.map((item) => [item.key, item]));
  const mounted = viewport.mounted(pinned);
  const items = mounted.lines.map(({ line, gap }): Item => {
    const was = old.get(line.key);
    const number = viewport.lines.entry(line) + 1;
    if (was?.entry === line && was.rev === line.rev && was.row === line.row && was.gap === gap && was.number === number)
      return was;
    return { key: line.key, entry: line, row: line.row, rev: line.rev, gap, number };
  });
  return { items, below: mounted.below };
}
