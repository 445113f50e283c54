// Which lines of an output are in sight. Each is one line high unless it was measured to be more (where long lines wrap).
// Pages end at about 33 million pixels; what is higher is scrolled through at a scale.

/** Pixels of a line, and of the room above the first and below the last. */
export const LINE = 20;
export const EDGE = 8;
const MOST_PIXELS = 15_000_000;
/** Lines beyond either edge that are drawn too. */
const OVERSCAN = 12;
/** Nearer than that to the end counts as at the end. */
const AT_END = 12;
const BLOCK = 256;

export type Sight = {
  from: number;
  /** The first that is not drawn. */
  to: number;
  /** Where the first stands on the page. */
  top: number;
  /** How high the page is. */
  page: number;
};

export class OutputWindow {
  /** Stays at the end while it grows. */
  following = false;
  height = 0;
  private scrollTop = 0;
  private total = 0;
  private anchor = { at: 0, offset: -EDGE };
  /** What measured lines are higher than one line, by block; of a block that has none nothing is kept. */
  private readonly extra = new Map<number, Float32Array>();
  private sums: Float64Array | null = null;

  get lines(): number {
    return this.total;
  }

  count(total: number): void {
    if (total === this.total) return;
    if (total < this.total) for (const block of this.extra.keys()) if (block * BLOCK >= total) this.extra.delete(block);
    this.total = total;
    this.sums = null;
  }

  /** All lines are one line high again: they wrap otherwise now, or not any more. */
  flatten(): void {
    this.extra.clear();
    this.sums = null;
  }

  /** True if it is not as high as was thought. */
  measured(at: number, pixels: number): boolean {
    const more = Math.max(0, pixels - LINE);
    const block = Math.floor(at / BLOCK);
    let known = this.extra.get(block);
    if (Math.abs((known?.[at % BLOCK] ?? 0) - more) < 0.5) return false;
    if (!known) this.extra.set(block, (known = new Float32Array(BLOCK)));
    known[at % BLOCK] = more;
    this.sums = null;
    return true;
  }

  /** How high all lines are, if no page were too high for them. */
  get whole(): number {
    return 2 * EDGE + this.total * LINE + (this.before().at(-1) ?? 0);
  }

  get page(): number {
    return Math.min(this.whole, MOST_PIXELS);
  }

  /** Where the line begins, as if no page were too high. */
  top(at: number): number {
    const block = Math.floor(at / BLOCK);
    let sum = EDGE + at * LINE + (this.before()[block] ?? 0);
    const own = this.extra.get(block);
    if (own) for (let i = 0; i < at % BLOCK; i++) sum += own[i] ?? 0;
    return sum;
  }

  /** The line that covers that offset. */
  at(offset: number): number {
    let [low, high] = [0, Math.max(0, this.total - 1)];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.top(middle) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** A person scrolled there. */
  scrolled(scrollTop: number): void {
    this.scrollTop = scrollTop;
    const end = Math.max(0, this.page - this.height);
    this.following = scrollTop >= end - AT_END;
    const offset = this.offset;
    const at = this.at(offset);
    this.anchor = { at, offset: offset - this.top(at) };
  }

  /** Puts the line into sight, a third down. */
  show(at: number): void {
    this.following = false;
    this.anchor = { at: Math.min(at, Math.max(0, this.total - 1)), offset: -this.height / 3 };
    this.settle();
  }

  toStart(): void {
    this.following = false;
    this.anchor = { at: 0, offset: -EDGE };
    this.settle();
  }

  toEnd(): void {
    this.following = true;
    this.settle();
  }

  /** Where the scroll position belongs now. */
  settle(): number {
    const end = Math.max(0, this.page - this.height);
    const wanted = this.following ? end : this.top(this.anchor.at) + this.anchor.offset;
    this.scrollTop = this.following ? end : Math.min(end, Math.max(0, this.scaled(wanted)));
    return this.scrollTop;
  }

  /** The lines that are seen, to the first that is not. */
  get seen(): { from: number; to: number } {
    if (this.total === 0) return { from: 0, to: 0 };
    const offset = this.offset;
    return { from: this.at(offset), to: this.at(offset + this.height) + 1 };
  }

  get sight(): Sight {
    const { from, to } = this.seen;
    const first = Math.max(0, from - OVERSCAN);
    return {
      from: first,
      to: Math.min(this.total, to + OVERSCAN),
      top: this.scrollTop + this.top(first) - this.offset,
      page: this.page,
    };
  }

  /** How far into the lines the upper edge is. */
  private get offset(): number {
    const [whole, page] = [this.whole, this.page];
    if (whole === page) return this.scrollTop;
    const end = page - this.height;
    return end <= 0 ? 0 : (Math.min(this.scrollTop, end) / end) * (whole - this.height);
  }

  private scaled(offset: number): number {
    const [whole, page] = [this.whole, this.page];
    return whole === page ? offset : (offset / (whole - this.height)) * (page - this.height);
  }

  /** By block, what the blocks before it are higher than their lines; the last is the sum of all. */
  private before(): Float64Array {
    if (this.sums) return this.sums;
    const blocks = Math.ceil(this.total / BLOCK);
    const sums = new Float64Array(blocks + 1);
    for (let block = 0; block < blocks; block++) {
      const own = this.extra.get(block);
      sums[block + 1] = (sums[block] ?? 0) + (own ? own.reduce((n, one) => n + one, 0) : 0);
    }
    return (this.sums = sums);
  }
}
