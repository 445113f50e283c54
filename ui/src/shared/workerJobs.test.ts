import { afterEach, expect, it, vi } from 'vitest';
import { Newest, WorkerJobs } from './workerJobs';

/** A worker that answers with twice the number, dies at 13 and never answers 0. */
class Doubling {
  onmessage: ((event: { data: number }) => void) | null = null;
  onerror: (() => void) | null = null;
  onmessageerror: (() => void) | null = null;
  ended = false;
  postMessage(question: number) {
    if (question === 13) queueMicrotask(() => this.onerror?.());
    else if (question !== 0) queueMicrotask(() => this.onmessage?.({ data: question * 2 }));
  }
  terminate() {
    this.ended = true;
  }
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

function jobs() {
  vi.stubGlobal('Worker', Doubling);
  const started: Doubling[] = [];
  const made = new WorkerJobs<number, number>(() => {
    const worker = new Doubling();
    started.push(worker);
    return worker as unknown as Worker;
  }, 1000);
  return { made, started };
}

it('asks one worker, in order', async () => {
  const { made, started } = jobs();
  expect(await Promise.all([made.ask(1), made.ask(2), made.ask(3)])).toEqual([2, 4, 6]);
  expect(started).toHaveLength(1);
});

it('lives on when the worker dies', async () => {
  const { made, started } = jobs();
  expect(await Promise.all([made.ask(1), made.ask(13), made.ask(3)])).toEqual([2, null, 6]);
  expect(started.map((w) => w.ended)).toEqual([true, false]);
});

it('ends a worker that takes too long, and asks another', async () => {
  vi.useFakeTimers();
  const { made, started } = jobs();
  const answers = Promise.all([made.ask(0), made.ask(5)]);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await answers).toEqual([null, 10]);
  expect(started.map((w) => w.ended)).toEqual([true, false]);
});

it('answers nothing where there are no workers, or none can be started', async () => {
  expect(await new WorkerJobs<number, number>(() => new Worker('x'), 10).ask(1)).toBeNull();
  vi.stubGlobal('Worker', Doubling);
  const refused = new WorkerJobs<number, number>(() => {
    throw new Error('refused');
  }, 10);
  expect(await refused.ask(1)).toBeNull();
});

it('keeps the newest answers', () => {
  const newest = new Newest<number>(2);
  let made = 0;
  const get = (key: string) => newest.get(key, () => ++made);
  expect(['a', 'b', 'a', 'c', 'a', 'b'].map(get)).toEqual([1, 2, 1, 3, 1, 4]);
});

it('lets answers go whose questions are long together, but never the last', () => {
  const newest = new Newest<number>(10, 5);
  let made = 0;
  const get = (key: string) => newest.get(key, () => ++made);
  expect(['aa', 'bb', 'aa', 'cc', 'aa', 'bb'].map(get)).toEqual([1, 2, 1, 3, 1, 4]);
  expect(['a long one', 'a long one', 'bb'].map(get)).toEqual([5, 5, 6]);
});
