import { expect, it, vi } from 'vitest';
import { Find } from './find.svelte';
import type { Pane } from './pane.svelte';

it('the place that was asked for last is the one that is looked at, whichever was read first', async () => {
  vi.useFakeTimers();
  const shown: number[] = [];
  const pointed: number[] = [];
  const waiting = new Map<number, () => void>();
  const pane = {
    items: [],
    from: () => 0,
    elementOf: () => null,
    pointAt: (seq: number) => (pointed.push(seq), null),
  } as unknown as Pane;
  const hits = [1, 2, 3].map((seq) => ({
    seq,
    kind: 'answer' as const,
    text: 'word',
    marks: [] as [number, number][],
  }));
  const find = new Find(pane, {
    find: () => Promise.resolve({ hits, more: false, indexing: false, through: 3 }),
    show: (seq) => {
      shown.push(seq);
      return new Promise((done) => waiting.set(seq, () => done(true)));
    },
    why: () => null,
  });
  find.open = true;
  find.type('word');
  await vi.advanceTimersByTimeAsync(200);
  waiting.get(1)?.();
  await vi.advanceTimersByTimeAsync(1);
  const steps = [find.step(false), find.step(false)];
  await vi.advanceTimersByTimeAsync(1);
  expect(shown).toEqual([1, 2, 3]);
  waiting.get(3)?.();
  await vi.advanceTimersByTimeAsync(1);
  waiting.get(2)?.();
  await Promise.all(steps);
  expect(find.at).toBe(2);
  expect(pointed).toEqual([1, 3]);
  vi.useRealTimers();
});
