import { describe, expect, it } from 'vitest';
import { Line, Lines } from './lines';
import { random } from './testing';
import { Viewport } from './viewport';

class One extends Line<One> {
  constructor(height: number) {
    super();
    this.height = height;
  }
}

const heights = (lines: Lines<One>) => [...lines].map((line) => line.height);

describe('lines', () => {
  it.each([1, 2, 3])('add up as a plain list does, whatever comes, goes and changes (%i)', (seed) => {
    const next = random(seed);
    const lines = new Lines<One>(seed);
    const plain: One[] = Array.from({ length: 500 }, () => new One(Math.floor(next() * 100)));
    lines.build(plain);
    for (let step = 0; step < 4000; step++) {
      const at = Math.floor(next() * (plain.length + 1));
      const dice = next();
      const line = plain[at];
      if (dice < 0.5 || !line) {
        const fresh = new One(Math.floor(next() * 100));
        fresh.drawn = next() < 0.9;
        lines.insert(fresh, line ?? null);
        plain.splice(at, 0, fresh);
      } else if (dice < 0.8) {
        lines.remove(line);
        plain.splice(at, 1);
      } else lines.set(line, Math.floor(next() * 100));
    }
    expect([...lines]).toEqual(plain);
    let [sum, entries] = [0, 0];
    for (const [at, line] of plain.entries()) {
      expect([lines.top(line), lines.place(line), lines.entry(line)]).toEqual([sum, at, entries]);
      if (line.height > 0) expect(lines.at(sum)).toBe(line);
      expect(lines.previous(line)).toBe(plain[at - 1] ?? null);
      sum += line.height;
      entries += line.drawn ? 1 : 0;
    }
    expect([lines.total, lines.length, lines.entries]).toEqual([sum, plain.length, entries]);
  });

  it('find the line at an offset', () => {
    const lines = new Lines<One>();
    const all = [10, 0, 20, 30].map((height) => new One(height));
    lines.build(all);
    const found = [-5, 0, 9, 10, 29, 30, 59, 60, 1000].map((offset) => all.indexOf(lines.at(offset) as One));
    expect(found).toEqual([0, 0, 0, 2, 2, 3, 3, 3, 3]);
    expect(new Lines<One>().at(0)).toBeNull();
  });

  it('stay shallow: a hundred thousand appended, or put in one place, are found in few steps', () => {
    for (const place of ['end', 'middle'] as const) {
      const lines = new Lines<One>();
      const mark = new One(1);
      lines.insert(mark, null);
      for (let i = 0; i < 100_000; i++) lines.insert(new One(1), place === 'end' ? null : mark);
      let deepest = 0;
      for (const line of lines) {
        let depth = 0;
        for (let at = line.up; at; at = at.up) depth += 1;
        deepest = Math.max(deepest, depth);
      }
      expect(deepest).toBeLessThan(80);
    }
  });
});

/** A page that scrolls as a browser does: never before the start or behind the end. */
function page(rows: number, height = 400, rowHeight = 28) {
  const viewport = new Viewport<One>();
  const all = Array.from({ length: rows }, () => new One(rowHeight));
  viewport.lines.build(all);
  viewport.resized(height);
  const end = () => Math.max(0, viewport.total - viewport.height);
  const settle = () => {
    const top = Math.min(Math.max(0, viewport.settle()), end());
    viewport.landed(top);
    return top;
  };
  const more = (many: number) => {
    for (let i = 0; i < many; i++) {
      const line = new One(rowHeight);
      all.push(line);
      viewport.lines.insert(line, null);
    }
  };
  return { viewport, all, end, settle, more, scroll: (to: number) => viewport.scrolled(to, end()) };
}

const whole = ({ lines, below }: ReturnType<Viewport<One>['mounted']>) =>
  lines.reduce((sum, { line, gap }) => sum + gap + line.height, below);

describe('viewport', () => {
  it('draws what is on screen and a margin, of a hundred thousand lines', () => {
    const { viewport, settle, all } = page(100_000);
    settle();
    const { lines } = viewport.mounted();
    expect(lines.length).toBeLessThan(70);
    expect(lines.at(-1)?.line).toBe(all.at(-1));
  });

  it('follows the end while at the end', () => {
    const { viewport, end, settle, more, all } = page(100);
    settle();
    more(50);
    expect(settle()).toBe(end());
    viewport.measured(all.at(-1) as One, 500);
    expect(settle()).toBe(end());
  });

  it('leaves the end with the smallest step up, and follows again once it is reached from above', () => {
    const { viewport, end, settle, more, scroll } = page(200);
    settle();
    scroll(end() - 2);
    expect(viewport.following).toBe(false);
    more(1);
    const kept = settle();
    expect(kept).toBe(end() - 28 - 2);
    scroll(kept + 10);
    expect(viewport.following).toBe(false);
    scroll(end() - 3);
    expect(viewport.following).toBe(true);
  });

  it.each([3, 4, 5])('keeps the line that is seen where it is, whatever comes, goes and is measured (%i)', (seed) => {
    const { viewport, settle, scroll, all } = page(100_000);
    const next = random(seed);
    settle();
    scroll(1_234_567.5);
    const seen = () => {
      const line = viewport.at(10) as One;
      return { line, screen: viewport.top(line) - viewport.scrollTop };
    };
    let before = seen();
    for (let step = 0; step < 500; step++) {
      const at = Math.floor(next() * all.length);
      const line = all[at] as One;
      const dice = next();
      if (dice < 0.4) viewport.measured(line, 5 + Math.floor(next() * 300));
      else if (dice < 0.7) {
        const fresh = new One(Math.floor(next() * 200));
        all.splice(at, 0, fresh);
        // What comes at the line that stays pushes what is behind it down.
        viewport.lines.insert(fresh, line);
      } else if (line !== before.line && line !== viewport.position.line) {
        viewport.leaving(line);
        viewport.lines.remove(line);
        all.splice(at, 1);
      }
      settle();
      const screen = viewport.top(before.line) - viewport.scrollTop;
      expect(Math.abs(screen - before.screen)).toBeLessThan(2);
      if (step % 50 !== 0) continue;
      scroll(next() * viewport.total);
      before = seen();
    }
    expect(viewport.following).toBe(false);
  });

  it('holds on to what is behind when the line that stayed goes', () => {
    const { viewport, settle, scroll, all } = page(100);
    settle();
    scroll(28 * 10 + 5);
    const behind = all[11] as One;
    const screen = viewport.top(behind) - viewport.scrollTop;
    viewport.leaving(all[10] as One);
    viewport.lines.remove(all[10] as One);
    settle();
    expect(viewport.top(behind) - viewport.scrollTop).toBe(screen);
  });

  it('keeps the line that was opened where it is, and moves what is behind it', () => {
    const { viewport, settle, scroll, all } = page(100);
    settle();
    scroll(700);
    const opened = all[30] as One;
    const screen = viewport.top(opened) - viewport.scrollTop;
    viewport.keep(opened);
    for (let i = 0; i < 10; i++) viewport.lines.remove(all[i] as One);
    viewport.measured(opened, 3000);
    settle();
    expect(viewport.top(opened) - viewport.scrollTop).toBe(screen);
  });

  it('keeps the end in view when the window gets smaller', () => {
    const { viewport, settle } = page(200);
    settle();
    viewport.resized(200);
    settle();
    expect(viewport.scrollTop).toBe(200 * 28 - 200);
  });

  it('keeps what is pinned in the DOM, before and behind, with the space in between', () => {
    const { viewport, settle, scroll, all } = page(1000);
    settle();
    scroll(10_000);
    const mounted = viewport.mounted([all[999] as One, all[2] as One, all[360] as One]);
    expect([mounted.lines[0]?.line, mounted.lines.at(-1)?.line]).toEqual([all[2], all[999]]);
    expect(mounted.below).toBe(0);
    expect(whole(mounted)).toBeCloseTo(viewport.total, 6);
  });

  it('has the height of the whole with the lines that are drawn, wherever it stands', () => {
    const { viewport, settle, scroll, all } = page(5000);
    settle();
    const next = random(11);
    for (let step = 0; step < 200; step++) {
      viewport.measured(all[Math.floor(next() * 5000)] as One, Math.floor(next() * 400));
      scroll(next() * viewport.total);
      expect(whole(viewport.mounted(next() < 0.5 ? [] : [all[4999] as One]))).toBeCloseTo(viewport.total, 3);
    }
  });

  it('leaves room above the first line, and counts it everywhere', () => {
    const { viewport, end, settle, scroll, all } = page(100);
    viewport.lead = 36;
    expect(settle()).toBe(end());
    scroll(0);
    const mounted = viewport.mounted();
    expect(mounted.lines[0]).toEqual({ line: all[0], gap: 36 });
    expect(whole(mounted)).toBeCloseTo(viewport.total, 6);
  });

  it('opens in place: what is unfolded at the end does not scroll away', () => {
    const { viewport, settle, all } = page(100);
    const before = settle();
    viewport.stay();
    viewport.measured(all.at(-1) as One, 2000);
    expect(settle()).toBe(before);
    expect(heights(viewport.lines).at(-1)).toBe(2000);
  });
});
