// Where the prompts of a timeline are, and which of them belongs to what is seen.
import type { Row } from '../session/rows';
import type { Viewport } from './viewport';

export type Stuck = { text: string; at: string; index: number };

export class Prompts {
  private places: number[] = [];
  private scanned = 0;

  reset(): void {
    this.places = [];
    this.scanned = 0;
  }

  /** Takes in rows that came at the end. */
  scan(rows: readonly Row[]): void {
    for (; this.scanned < rows.length; this.scanned++) {
      const row = rows[this.scanned];
      if (row?.kind === 'prompt' && !row.synthetic && row.behind === undefined) this.places.push(this.scanned);
    }
  }

  /** The prompt of the turn that is seen, if it is above the edge. `before`: the last answer, given again while it holds. */
  stuck(rows: readonly Row[], viewport: Viewport, before: Stuck | null): Stuck | null {
    let low = 0;
    let high = this.places.length;
    const first = viewport.position.at;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.places[middle] ?? 0) <= first) low = middle + 1;
      else high = middle;
    }
    const index = this.places[low - 1];
    const row = index === undefined ? undefined : rows[index];
    if (row?.kind !== 'prompt' || index === undefined) return null;
    if (viewport.top(index + 1) - 8 > viewport.scrollTop) return null;
    if (before?.index === index && before.at === row.at) return before;
    return { text: row.text.replace(/\s+/g, ' ').slice(0, 300), at: row.at, index };
  }
}
