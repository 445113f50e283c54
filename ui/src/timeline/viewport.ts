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
  heights = new Heights();
  height = 0;
  /** Pixels above the first row. */
  lead = 0;
  scrollTop = 0;
  /** Follows the end while true. */
  following = true;
  private anchor = { at: 0, offset: 0 };

  constructor(private readonly guess: (at: number) => number) {}

  /** There are that many rows now; new ones come at the end. */
  count(rows: number): void {
    for (let at = this.heights.length; at < rows; at++) this.heights.push(this.guess(at));
  }

  /** Other rows than before: that many, and how high each is known or guessed to be. The anchor is the caller's to set. */
  reset(rows: number, height: (at: number) => number): void {
    this.heights = new Heights();
    for (let at = 0; at < rows; at++) this.heights.push(height(at));
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

  /** It will be put where it belongs; what is drawn until then is what is seen there. */
  foresee(): void {
    this.scrollTop = this.following ? Math.max(0, this.total - this.height) : this.settle();
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

  /** How far down the page the row begins. */
  top(at: number): number {
    return this.lead + this.heights.top(at);
  }

  /** How high the page is. */
  get total(): number {
    return this.lead + this.heights.total;
  }

  /** Where the scroll position belongs now. Behind the end while it follows: the page stops at its own end. */
  settle(): number {
    if (this.following) return this.total + this.height;
    return Math.max(0, this.top(this.anchor.at) + this.anchor.offset);
  }

  /** The rows to draw, in order. `pinned` is drawn wherever it is. */
  mounted(pinned: number): { rows: Mounted[]; below: number } {
    const total = this.heights.length;
    if (total === 0) return { rows: [], below: 0 };
    const first = this.heights.at(Math.max(0, this.scrollTop - this.lead - OVERSCAN));
    const last = this.heights.at(this.scrollTop - this.lead + this.height + OVERSCAN);
    const wanted: number[] = [];
    if (pinned >= 0 && pinned < first) wanted.push(pinned);
    for (let at = first; at <= last; at++) wanted.push(at);
    if (pinned > last && pinned < total) wanted.push(pinned);
    let bottom = 0;
    const rows = wanted.map((at) => {
      const top = this.top(at);
      const gap = top - bottom;
      bottom = top + this.heights.get(at);
      return { at, gap: gap < 0.25 ? 0 : gap };
    });
    return { rows, below: Math.max(0, this.total - bottom) };
  }

  private hold(): void {
    const at = Math.max(0, this.heights.at(this.scrollTop - this.lead));
    this.anchor = { at, offset: this.scrollTop - this.top(at) };
  }
}
