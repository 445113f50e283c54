import { describe, expect, it } from 'vitest';
import { Heights } from './heights';
import { Viewport } from './viewport';

/** A small generator with a seed, so that a failure can be seen again. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

describe('heights', () => {
  it('add up as a plain list does, whatever is pushed and set', () => {
    const next = random(7);
    const heights = new Heights();
    const plain: number[] = [];
    for (let step = 0; step < 5000; step++) {
      if (plain.length === 0 || next() < 0.6) {
        const height = Math.floor(next() * 100);
        heights.push(height);
        plain.push(height);
      } else {
        const at = Math.floor(next() * plain.length);
        plain[at] = Math.floor(next() * 100);
        heights.set(at, plain[at] ?? 0);
      }
    }
    let sum = 0;
    for (let at = 0; at < plain.length; at++) {
      expect(heights.top(at)).toBe(sum);
      sum += plain[at] ?? 0;
    }
    expect(heights.total).toBe(sum);
  });

  it('find the row at an offset', () => {
    const heights = new Heights();
    for (const height of [10, 0, 20, 30]) heights.push(height);
    expect([-5, 0, 9, 10, 29, 30, 59, 60, 1000].map((offset) => heights.at(offset))).toEqual([
      0, 0, 0, 2, 2, 3, 3, 3, 3,
    ]);
    expect(new Heights().at(0)).toBe(-1);
  });
});

/** A page that scrolls as a browser does: never before the start or behind the end. */
function page(rows: number, height = 400, rowHeight = 28) {
  const viewport = new Viewport(() => rowHeight);
  viewport.resized(height);
  viewport.count(rows);
  const end = () => Math.max(0, viewport.heights.total - height);
  const settle = () => {
    const top = Math.min(Math.max(0, viewport.settle()), end());
    viewport.landed(top);
    return top;
  };
  return { viewport, end, settle, scroll: (to: number) => viewport.scrolled(to, end()) };
}

describe('viewport', () => {
  it('draws what is on screen and a margin, of a hundred thousand rows', () => {
    const { viewport, settle } = page(100_000);
    settle();
    const { rows } = viewport.mounted(-1);
    expect(rows.length).toBeLessThan(70);
    expect(rows.at(-1)?.at).toBe(99_999);
  });

  it('follows the end while at the end', () => {
    const { viewport, end, settle } = page(100);
    settle();
    viewport.count(150);
    expect(settle()).toBe(end());
    viewport.measured(149, 500);
    expect(settle()).toBe(end());
  });

  it('stays put by a pixel when rows are added and measured anywhere', () => {
    const { viewport, settle, scroll } = page(1000);
    settle();
    scroll(1234.5);
    const { at, offset } = viewport.position;
    const next = random(3);
    for (let step = 0; step < 500; step++) {
      viewport.measured(Math.floor(next() * 1000), 5 + Math.floor(next() * 300));
      if (step % 10 === 0) viewport.count(1000 + step);
      const top = settle();
      expect(top - viewport.heights.top(at)).toBeCloseTo(offset, 6);
    }
    expect(viewport.following).toBe(false);
  });

  it('goes on following once a person has scrolled back to the end', () => {
    const { viewport, end, settle, scroll } = page(200);
    settle();
    scroll(100);
    expect(viewport.following).toBe(false);
    scroll(end() - 3);
    expect(viewport.following).toBe(true);
  });

  it('keeps the end in view when the window gets smaller', () => {
    const { viewport, settle } = page(200);
    settle();
    viewport.resized(200);
    viewport.landed(Math.min(viewport.settle(), viewport.heights.total - 200));
    expect(viewport.scrollTop).toBe(200 * 28 - 200);
  });

  it('keeps the row that streams in the DOM, with the space in between', () => {
    const { viewport, settle, scroll } = page(1000);
    settle();
    scroll(0);
    const { rows, below } = viewport.mounted(999);
    const last = rows.at(-1);
    expect(last?.at).toBe(999);
    expect(below).toBe(0);
    const height = rows.reduce((sum, row) => sum + row.gap + viewport.heights.get(row.at), 0);
    expect(height).toBeCloseTo(viewport.heights.total, 6);
  });

  it('has the height of the whole with the rows that are drawn, wherever it stands', () => {
    const { viewport, settle, scroll } = page(5000);
    settle();
    const next = random(11);
    for (let step = 0; step < 200; step++) {
      viewport.measured(Math.floor(next() * 5000), Math.floor(next() * 400));
      scroll(next() * viewport.heights.total);
      const { rows, below } = viewport.mounted(next() < 0.5 ? -1 : 4999);
      const height = rows.reduce((sum, row) => sum + row.gap + viewport.heights.get(row.at), below);
      expect(height).toBeCloseTo(viewport.heights.total, 3);
    }
  });

  it('keeps what is seen where it is when rows come to stand before it, or go', () => {
    const { viewport, settle, scroll } = page(1000);
    settle();
    const next = random(5);
    for (let step = 0; step < 200; step++) {
      scroll(next() * viewport.heights.total);
      const { at, offset } = viewport.position;
      const seen = viewport.top(at) - viewport.scrollTop;
      const many = Math.floor(next() * 300);
      const gone = next() < 0.3 ? Math.min(at, many) : 0;
      const come = gone > 0 ? 0 : many;
      const heights = Array.from({ length: viewport.heights.length }, (_, i) => viewport.heights.get(i)).slice(gone);
      viewport.lead = next() < 0.5 ? 36 : 0;
      viewport.reset(heights.length + come, (i) => (i < come ? 28 : (heights[i - come] ?? 0)));
      viewport.show(at + come - gone, offset);
      viewport.foresee();
      expect(viewport.top(at + come - gone) - viewport.scrollTop).toBeCloseTo(seen, 6);
      expect(settle()).toBeCloseTo(viewport.scrollTop, 6);
    }
  });

  it('leaves room above the first row, and counts it everywhere', () => {
    const { viewport, end, settle, scroll } = page(100);
    viewport.lead = 36;
    expect(settle()).toBe(end());
    viewport.landed(viewport.total - 400);
    scroll(0);
    const { rows, below } = viewport.mounted(-1);
    expect(rows[0]).toEqual({ at: 0, gap: 36 });
    expect(rows.reduce((sum, row) => sum + row.gap + viewport.heights.get(row.at), below)).toBeCloseTo(
      viewport.total,
      6,
    );
  });

  it('opens in place: what is unfolded at the end does not scroll away', () => {
    const { viewport, settle } = page(100);
    const before = settle();
    viewport.stay();
    viewport.measured(99, 2000);
    expect(settle()).toBe(before);
  });
});
