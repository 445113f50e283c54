import { describe, expect, it } from 'vitest';
import type { Event, RawLine } from '../bindings/bindings';
import { Found } from './inspect';
import { lineType, parsed, RawLog, Sieve } from './rawlog';

const line = (index: number, change: Partial<RawLine> = {}): RawLine => ({
  index,
  at: '2026-11-30T08:00:00.000Z',
  dir: 'out',
  line: `{"type":"assistant","n":${index}}`,
  bytes: 20,
  first_seq: null,
  last_seq: null,
  left_out: 0,
  ...change,
});

describe('the lines of a session', () => {
  it('are read on from the last one, and none is taken twice', () => {
    const log = new RawLog();
    log.take([line(1), line(2)]);
    log.take([line(2), line(3, { left_out: 4 })]);
    expect(log.lines.map((one) => one.index)).toEqual([1, 2, 3]);
    expect([log.cursor, log.lost]).toEqual([3, 4]);
  });

  it('are found from an event that one or several of them made', () => {
    const log = new RawLog();
    log.take([
      line(1, { first_seq: 1, last_seq: 3 }),
      line(2),
      line(3, { first_seq: 4, last_seq: 4 }),
      line(4, { first_seq: 4, last_seq: 6 }),
      line(5, { first_seq: 9, last_seq: 9 }),
    ]);
    const found = [1, 3, 4, 6, 7, 9, 10].map((seq) => log.placesOf(seq).map((place) => log.lines[place]?.index));
    expect(found).toEqual([[1], [1], [3, 4], [4], [], [5], []]);
  });

  it('are sifted by direction and word, each looked at once', () => {
    const lines = [line(1), line(2, { dir: 'err', line: 'Warning: SLOW' }), line(3, { dir: 'in' })];
    const slow = new Sieve({ dir: null, words: ' slow ' });
    const inward = new Sieve({ dir: 'in', words: '' });
    for (const sieve of [slow, inward]) sieve.sift(lines);
    lines.push(line(4, { line: '{"type":"slow"}' }));
    for (const sieve of [slow, inward]) sieve.sift(lines);
    expect([slow.places, inward.places]).toEqual([[1, 3], [2]]);
  });

  it('stay quick at a hundred thousand', () => {
    const lines = Array.from({ length: 100_000 }, (_, i) => line(i + 1, { first_seq: i + 1, last_seq: i + 1 }));
    const log = new RawLog();
    const from = performance.now();
    log.take(lines);
    const sieve = new Sieve({ dir: null, words: '"n":99999}' });
    sieve.sift(log.lines);
    for (let seq = 1; seq <= 1000; seq++) log.placesOf(seq * 100);
    expect(sieve.places).toEqual([99_998]);
    expect(performance.now() - from).toBeLessThan(2000);
  });
});

describe('a line in a word', () => {
  it('is its type and subtype, wherever they stand', () => {
    const told = [
      '{"type":"system","subtype":"init"}',
      '{"type":"control_request","request_id":"1","request":{"subtype":"can_use_tool"}}',
      '{"type":"stream_event","event":{"type":"content_block_delta"}}',
      '{"type":"assistant","message":{"type":"message"}}',
      'Debugger attached.',
    ].map((text) => lineType(line(1, { line: text })));
    expect(told).toEqual([
      'system/init',
      'control_request/can_use_tool',
      'stream_event/content_block_delta',
      'assistant',
      'text',
    ]);
    expect(lineType(line(1, { dir: 'err', line: '{"type":"x"}' }))).toBe('stderr');
  });

  it('is a value only where it is one', () => {
    expect([parsed('{"a":1}'), parsed('12'), parsed('not'), parsed('"text"')]).toEqual([{ a: 1 }, null, null, null]);
  });
});

describe('events with a word in them', () => {
  it('are found by type and text, in a log that grows and loses its beginning', () => {
    const log = ['Alpha', 'beta', 'alphabet', 'gamma'].map(
      (title, i) => ({ seq: i + 1, at: '', type: 'title_changed', title }) as Event,
    );
    const found = new Found(' ALPHA ');
    const seqs = (events: Event[]) => events.map((event) => event.seq);
    expect(seqs(found.sift(log.slice(0, 2)))).toEqual([1]);
    expect(seqs(found.sift(log))).toEqual([1, 3]);
    expect(seqs(found.sift(log))).toEqual([1, 3]);
    expect(seqs(found.sift(log.slice(2)))).toEqual([3]);
    expect(seqs(new Found('title_ch').sift(log))).toHaveLength(4);
  });
});
