import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Backend } from '../backend/backend';
import type { Hit, SearchAnswer } from '../backend/history';
import { bySession, pieces } from './hits';
import { Search } from './search.svelte';

const hit = (session: string, text: string, marks: [number, number][] = []): Hit => ({
  session,
  cli_session_id: null,
  title: `Title of ${session}`,
  workspace: '/w',
  source: 'kandev',
  archived: false,
  seq: 1,
  at: '2026-01-01T00:00:00Z',
  kind: 'prompt',
  text,
  marks,
});
const answer = (...hits: Hit[]): SearchAnswer => ({ hits, more: false, indexing: null });

describe('the search', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function searching() {
    const asked: { words: string; give: (answer: SearchAnswer) => void; fail: (error: unknown) => void }[] = [];
    const backend = {
      searchSessions: (words: string) => new Promise<SearchAnswer>((give, fail) => asked.push({ words, give, fail })),
    } as unknown as Backend;
    return { asked, search: new Search(backend, (error) => (error as { message: string }).message) };
  }

  it('asks when typing pauses, and not for each letter', () => {
    const { asked, search } = searching();
    for (const words of ['r', 're', 'ret', 'retry ']) search.ask(words);
    vi.advanceTimersByTime(1000);
    expect(asked.map((one) => one.words)).toEqual(['retry']);
  });

  it('shows the answer to what was asked last, whichever comes last', async () => {
    const { asked, search } = searching();
    search.ask('first');
    vi.advanceTimersByTime(100);
    search.ask('second');
    vi.advanceTimersByTime(100);
    asked[1]?.give(answer(hit('second', 'x')));
    await vi.advanceTimersByTimeAsync(0);
    asked[0]?.give(answer(hit('first', 'x')));
    await vi.advanceTimersByTimeAsync(0);
    expect(search.answer?.hits.map((one) => one.session)).toEqual(['second']);
    expect(search.asking).toBe(false);
  });

  it('keeps what was found on screen until there is something newer, and takes it away with the words', async () => {
    const { asked, search } = searching();
    search.ask('one');
    vi.advanceTimersByTime(100);
    asked[0]?.give(answer(hit('s', 'x')));
    await vi.advanceTimersByTimeAsync(0);
    search.ask('one two');
    expect(search.answer?.hits).toHaveLength(1);
    search.ask('  ');
    expect(search.answer).toBeNull();
  });

  it('says why there is no answer', async () => {
    const { asked, search } = searching();
    search.ask('one');
    vi.advanceTimersByTime(100);
    asked[0]?.fail({ message: 'the index is locked' });
    await vi.advanceTimersByTimeAsync(0);
    expect(search.problem).toBe('the index is locked');
    expect(search.asking).toBe(false);
  });

  it('asks again while the index grows, and no more once it is left', async () => {
    const { asked, search } = searching();
    search.ask('one');
    vi.advanceTimersByTime(100);
    asked[0]?.give({ hits: [], more: false, indexing: [1, 9] });
    await vi.advanceTimersByTimeAsync(5000);
    expect(asked).toHaveLength(2);
    search.stop();
    asked[1]?.give({ hits: [], more: false, indexing: [2, 9] });
    await vi.advanceTimersByTimeAsync(5000);
    expect(asked).toHaveLength(2);
  });
});

describe('what was found', () => {
  it('is grouped by session in the order of the answer', () => {
    const found = bySession([hit('b', '1'), hit('a', '2'), hit('b', '3')]);
    expect(found.map((one) => [one.session, one.hits.map((h) => h.text)])).toEqual([
      ['b', ['1', '3']],
      ['a', ['2']],
    ]);
  });

  it('shows the words that were looked for, however deep they stand', () => {
    const text = `${'so '.repeat(300)}the retry budget ${'and on '.repeat(300)}`;
    const at = text.indexOf('retry');
    const shown = pieces(hit('s', text, [[at, at + 5]]));
    expect(shown.filter((one) => one.hit).map((one) => one.text)).toEqual(['retry']);
    expect(shown[0]).toEqual({ text: '… ', hit: false });
    expect(shown.at(-1)?.text).toBe(' …');
    expect(shown.map((one) => one.text).join('').length).toBeLessThan(230);
  });

  it('is whole where it is short, with marks that overlap or stand in no order told once', () => {
    const shown = pieces(
      hit('s', 'retry the retry', [
        [0, 5],
        [0, 3],
        [10, 15],
      ]),
    );
    expect(shown.map((one) => one.text).join('')).toBe('retry the retry');
    expect(shown.filter((one) => one.hit).map((one) => one.text)).toEqual(['retry', 'retry']);
  });

  it('marks what follows signs of two units', () => {
    const shown = pieces(hit('s', '🚢🚢 the retry', [[7, 12]]));
    expect(shown).toEqual([
      { text: '🚢🚢 the ', hit: false },
      { text: 'retry', hit: true },
    ]);
  });
});
