// Which lines are on screen and where the scroll position belongs. Knows lines, heights and numbers, no DOM and no rows: the
// view tells it what was measured and scrolled, and sets `scrollTop` to what it answers. Nobody else sets `scrollTop`.
import { Lines, type Line } from './lines';

/** A line that is in the DOM, and how much empty space stands above it in place of lines that are not. */
export type Mounted<L> = { line: L; gap: number };

/** Pixels beyond either edge that are drawn too. */
const OVERSCAN = 600;
/** Nearer than that to the end counts as at the end. */
const AT_END = 8;

export class Viewport<L extends Line<L>> {
  lines = new Lines<L>();
  height = 0;
  /** Pixels above the first line. */
  lead = 0;
  scrollTop = 0;
  /** Follows the end while true. */
  following = true;
  private anchor: { line: L | null; offset: number } = { line: null, offset: 0 };

  /** A line was measured. True if it changed. */
  measured(line: L, height: number): boolean {
    line.measured = true;
    if (Math.abs(line.height - height) < 0.25) return false;
    this.lines.set(line, height);
    return true;
  }

  resized(height: number): void {
    this.height = height;
  }

  /**
   * A person scrolled there; `end` is the largest scroll position that the page allows. Who goes up leaves the end, by
   * however little.
   */
  scrolled(scrollTop: number, end: number): void {
    const up = scrollTop < this.scrollTop - 0.5;
    this.following = !up && scrollTop >= end - AT_END;
    this.scrollTop = scrollTop;
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
    if (!this.following) return;
    this.following = false;
    this.hold();
  }

  jumpToEnd(): void {
    this.following = true;
  }

  /** Puts that line at the top edge, `offset` pixels into it. */
  show(line: L | null, offset = 0): void {
    this.following = false;
    this.anchor = { line, offset };
  }

  /** That line, if it is seen, is the one that stays where it is. */
  keep(line: L): void {
    const below = this.top(line) - this.scrollTop;
    if (!this.following && below >= 0 && below < this.height) this.anchor = { line, offset: -below };
  }

  /** A line goes: if it was the one that stayed where it is, what stands behind it does. */
  leaving(line: L): void {
    if (this.anchor.line !== line) return;
    const next = this.lines.next(line);
    const before = next === null ? this.lines.previous(line) : null;
    if (next) this.anchor = { line: next, offset: this.anchor.offset - line.height };
    else this.anchor = { line: before, offset: this.anchor.offset + (before?.height ?? 0) };
  }

  /** The line that stays where it is, and how much of it is above the edge. */
  get position(): { line: L | null; offset: number } {
    return this.anchor;
  }

  /** How far down the page the line begins. */
  top(line: L): number {
    return this.lead + this.lines.top(line);
  }

  /** The line at that place of what is seen, in pixels below the top edge. */
  at(below: number): L | null {
    return this.lines.at(this.scrollTop - this.lead + below);
  }

  /** How high the page is. */
  get total(): number {
    return this.lead + this.lines.total;
  }

  /** Where the scroll position belongs now. Behind the end while it follows: the page stops at its own end. */
  settle(): number {
    if (this.following) return this.total + this.height;
    const { line, offset } = this.anchor;
    return Math.max(0, (line === null ? this.lead : this.top(line)) + offset);
  }

  /** The lines to draw, in order. Those that are pinned are drawn wherever they are. */
  mounted(pinned: readonly L[] = []): { lines: Mounted<L>[]; below: number } {
    const from = this.at(-OVERSCAN);
    if (from === null) return { lines: [], below: 0 };
    const to = this.scrollTop - this.lead + this.height + OVERSCAN;
    const wanted: L[] = [];
    let top = this.lines.top(from);
    for (let line: L | null = from; line !== null && top <= to; line = this.lines.next(line)) {
      wanted.push(line);
      top += line.height;
    }
    const seen = new Set(wanted);
    const apart = pinned.filter((line) => line.listed && !seen.has(line));
    if (apart.length > 0) {
      const places = new Map([...wanted, ...apart].map((line) => [line, this.lines.place(line)]));
      wanted.splice(0, Infinity, ...[...places].sort(([, a], [, b]) => a - b).map(([line]) => line));
    }
    let bottom = 0;
    const lines: Mounted<L>[] = [];
    for (const line of wanted) {
      // What only holds a place has no height and is not in the page.
      if (!line.drawn) continue;
      const start = this.top(line);
      const gap = start - bottom;
      bottom = start + line.height;
      lines.push({ line, gap: gap < 0.25 ? 0 : gap });
    }
    return { lines, below: Math.max(0, this.total - bottom) };
  }

  private hold(): void {
    const line = this.at(0);
    this.anchor = { line, offset: line === null ? 0 : this.scrollTop - this.top(line) };
  }
}
