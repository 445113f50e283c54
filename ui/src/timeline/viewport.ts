// Which rows are on screen and where the scroll position belongs. Knows heights and numbers, no DOM and no rows: the view
// tells it what was measured and scrolled, and sets `scrollTop` to what it answers. Nobody else sets `scrollTop`.
import { Heights } from './heights';

/** A row that is in the DOM, and how much empty space stands above it in place of rows that are not. */
export type Mounted = { at: number; gap: number };

/** Pixels beyond either edge that are drawn too. */
const OVERSCAN = 600;
/** Nearer than that to the end counts as at the end. */
const AT_END = 8;

export class Viewport {
  readonly heights = new Heights();
  height = 0;
  scrollTop = 0;
  /** Follows the end while true. */
  following = true;
  private anchor = { at: 0, offset: 0 };

  constructor(private readonly guess: (at: number) => number) {}

  /** There are that many rows now; new ones come at the end. */
  count(rows: number): void {
    for (let at = this.heights.length; at < rows; at++) this.heights.push(this.guess(at));
  }

  /** A row was measured. True if it changed. */
  measured(at: number, height: number): boolean {
    if (Math.abs(this.heights.get(at) - height) < 0.25) return false;
    this.heights.set(at, height);
    return true;
  }

  resized(height: number): void {
    this.height = height;
  }

  /** A person scrolled there; `end` is the largest scroll position that the page allows. */
  scrolled(scrollTop: number, end: number): void {
    this.scrollTop = scrollTop;
    this.following = scrollTop >= end - AT_END;
    this.hold();
  }

  /** The page put the scroll position there when it was set to what `settle` said. */
  landed(scrollTop: number): void {
    this.scrollTop = scrollTop;
    if (this.following) this.hold();
  }

  /** Stays where it is from here on, whatever comes. */
  stay(): void {
    this.following = false;
    this.hold();
  }

  jumpToEnd(): void {
    this.following = true;
  }

  /** Puts that row at the top edge, `offset` pixels into it. */
  show(at: number, offset = 0): void {
    this.following = false;
    this.anchor = { at, offset };
  }

  /** The first row that is seen, and how much of it is above the edge. */
  get position(): { at: number; offset: number } {
    return this.anchor;
  }

  /** Where the scroll position belongs now. Behind the end while it follows: the page stops at its own end. */
  settle(): number {
    if (this.following) return this.heights.total + this.height;
    return Math.max(0, this.heights.top(this.anchor.at) + this.anchor.offset);
  }

  /** The rows to draw, in order. `pinned` is drawn wherever it is. */
  mounted(pinned: number): { rows: Mounted[]; below: number } {
    const total = this.heights.length;
    if (total === 0) return { rows: [], below: 0 };
    const first = this.heights.at(Math.max(0, this.scrollTop - OVERSCAN));
    const last = this.heights.at(this.scrollTop + this.height + OVERSCAN);
    const wanted: number[] = [];
    if (pinned >= 0 && pinned < first) wanted.push(pinned);
    for (let at = first; at <= last; at++) wanted.push(at);
    if (pinned > last && pinned < total) wanted.push(pinned);
    let bottom = 0;
    const rows = wanted.map((at) => {
      const top = this.heights.top(at);
      const gap = top - bottom;
      bottom = top + this.heights.get(at);
      return { at, gap: gap < 0.25 ? 0 : gap };
    });
    return { rows, below: Math.max(0, this.heights.total - bottom) };
  }

  private hold(): void {
    const at = Math.max(0, this.heights.at(this.scrollTop));
    this.anchor = { at, offset: this.scrollTop - this.heights.top(at) };
  }
}
