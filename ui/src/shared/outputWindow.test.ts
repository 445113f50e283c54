import { describe, expect, it } from 'vitest';
import { EDGE, LINE, OutputWindow } from './outputWindow';
import { randomFrom } from './testing/texts';

function windowOf(total: number, height = 500): OutputWindow {
  const made = new OutputWindow();
  made.height = height;
  made.count(total);
  return made;
}

describe('what is in sight', () => {
  it('is few lines, however many there are', () => {
    for (const total of [0, 1, 30, 1000, 1_000_000, 10_000_000]) {
      const view = windowOf(total);
      for (const part of [0, 0.3, 0.9999, 1]) {
        view.scrolled(part * Math.max(0, view.page - view.height));
        const { from, to, page } = view.sight;
        expect(to - from).toBeLessThanOrEqual(60);
        expect(page).toBeLessThanOrEqual(15_000_000);
        expect(from).toBeGreaterThanOrEqual(0);
        expect(to).toBeLessThanOrEqual(total);
      }
    }
  });

  it('is where the scroll position says, to the pixel, while the page is not too high', () => {
    const view = windowOf(100_000);
    view.scrolled(EDGE + 777 * LINE + 3);
    expect([view.seen.from, view.top(777)]).toEqual([777, EDGE + 777 * LINE]);
    expect(view.sight.top).toBe(view.top(view.sight.from));
    expect(view.settle()).toBe(EDGE + 777 * LINE + 3);
  });

  it('begins at the beginning', () => {
    const view = windowOf(100);
    expect(view.settle()).toBe(0);
    view.measured(0, 60);
    expect(view.settle()).toBe(0);
  });

  it('reaches the first and the last line of ten million', () => {
    const view = windowOf(10_000_000);
    view.scrolled(0);
    expect(view.sight.from).toBe(0);
    view.scrolled(view.page - view.height);
    expect(view.sight.to).toBe(10_000_000);
    view.show(4_321_000);
    expect(view.seen.from).toBeLessThanOrEqual(4_321_000);
    expect(view.seen.to).toBeGreaterThan(4_321_000);
  });

  it('stays at the end while it grows, and put where somebody reads', () => {
    const view = windowOf(100);
    view.toEnd();
    view.count(200);
    expect(view.settle()).toBe(view.page - view.height);
    view.scrolled(300);
    view.count(400);
    expect([view.following, view.settle()]).toEqual([false, 300]);
  });

  it('does not move the line that is read when lines above it turn out to be higher', () => {
    const random = randomFrom(7);
    for (let n = 0; n < 200; n++) {
      const view = windowOf(50 + random(5000));
      view.scrolled(random(Math.max(1, view.page - view.height - 20)));
      const { from } = view.seen;
      const before = view.top(from) - view.settle();
      for (let m = 0; m < 20; m++) view.measured(random(from + 1), LINE * (1 + random(9)));
      const top = view.settle();
      if (top < view.page - view.height) expect(view.top(from) - top).toBeCloseTo(before, 3);
      expect(view.seen.from).toBeGreaterThanOrEqual(0);
    }
  });

  it('has every line at its place, whatever was measured', () => {
    const random = randomFrom(11);
    const view = windowOf(1500);
    const heights = Array.from({ length: 1500 }, () => LINE);
    for (let n = 0; n < 400; n++) {
      const at = random(1500);
      heights[at] = LINE * (1 + random(6));
      view.measured(at, heights[at] ?? LINE);
    }
    let top = EDGE;
    for (let at = 0; at < 1500; at++) {
      expect(view.top(at)).toBe(top);
      expect(view.at(top)).toBe(at);
      top += heights[at] ?? LINE;
      expect(view.at(top - 1)).toBe(at);
    }
    view.flatten();
    expect(view.top(1499)).toBe(EDGE + 1499 * LINE);
  });
});
