// What a view costs, whatever the size of the session: opening it, putting older parts before it, going on at its end. Prints
// medians and ratios; fails only where a budget is missed by far, as this machine may be busy with other things.
import { expect, it } from 'vitest';
import type { Slice } from '../backend/history';
import type { Event, EventBody } from '../bindings/bindings';
import { folded, standingAfter } from './journal';
import { isLong, openSlice, prependSlice, ROWS, trimTop } from './slices';
import { apply, emptyView, type SessionView } from './view';

const ROWS_OF_A_SLICE = 300;

const said = (text: string, id: string): EventBody => ({ type: 'message_chunk', text, message_id: id });
const call = (id: string, status: 'running' | 'complete'): EventBody => ({
  type: status === 'running' ? 'tool_call' : 'tool_update',
  tool_call_id: id,
  tool_name: 'Read',
  tool_title: `src/${id}.rs`,
  tool_status: status,
  normalized: {
    kind: 'read_file',
    read_file: { file_path: `/w/src/${id}.rs`, offset: null, limit: null, output: null },
  },
});
const done: EventBody = {
  type: 'complete',
  data: {
    cost_usd: 0.1,
    total_cost_usd: 1,
    duration_ms: 1000,
    duration_api_ms: 900,
    num_turns: 1,
    input_tokens: 1,
    output_tokens: 1,
    subtype: 'success',
    is_error: false,
    terminal_reason: null,
    last_message_uuid: null,
    permission_denials: [],
  },
};
const prompt = (n: number): EventBody => ({
  type: 'user_message',
  text: `Prompt ${n}`,
  uuid: `u${n}`,
  attachments: [],
  synthetic: false,
});

/** The event of that number in a journal without an end: a prompt, then texts and calls, forty events a turn. */
function eventAt(seq: number): Event {
  const [turn, n] = [Math.floor((seq - 1) / 40), (seq - 1) % 40];
  const id = `${turn}.${Math.floor(n / 4)}`;
  const body: EventBody =
    n === 0
      ? prompt(turn)
      : n === 1
        ? { type: 'session_state', state: 'running' }
        : n === 39
          ? done
          : n % 4 < 2
            ? said('It keeps its promise. '.repeat(1 + (n % 3)), id)
            : call(id, n % 4 === 2 ? 'running' : 'complete');
  return { seq, at: '2026-01-01T00:00:00.000Z', ...body } as Event;
}

/** What the store gives of a journal of that size before a number; the index finds it, so only the slice is made here. */
function sliceBefore(before: number): Slice {
  const first = Math.max(1, Math.floor((before - 1 - ROWS_OF_A_SLICE * 1.3) / 40) * 40 + 1);
  const numbers = Array.from({ length: before - first }, (_, i) => first + i);
  const standing = standingAfter([2, 3, 4].flatMap((n) => (n < first ? [eventAt(n)] : [])));
  return {
    standing,
    events: folded(numbers.map(eventAt)),
    from: first,
    through: before - 1,
    earlier: first > 1,
    later: false,
    turns_before: Math.floor(first / 40),
  };
}

function median(rounds: number, run: () => void): number {
  const times: number[] = [];
  for (let i = 0; i < rounds; i++) {
    const start = performance.now();
    run();
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[rounds >> 1] ?? 0;
}

const ms = (n: number) => `${n.toFixed(2)} ms`;
const say = (line: string) => process.stdout.write(`${line}\n`);

it('opening a session costs the same whatever its size', () => {
  const sizes = [10, 10_000, 1_000_000];
  const slices = sizes.map((size) => sliceBefore(size + 1));
  const open = (slice: Slice) => openSlice(emptyView(), slice);
  for (const slice of slices) median(50, () => open(slice));
  const times = slices.map((slice) => median(101, () => open(slice)));
  for (const [i, size] of sizes.entries())
    say(`open ${size} events: ${ms(times[i] ?? 0)}, ${slices[i]?.events.length} in the slice`);
  const ratio = (times[2] ?? 0) / (times[1] ?? 1);
  say(`open 1,000,000 : 10,000 = ${ratio.toFixed(2)}`);
  expect(ratio).toBeLessThan(4);
  expect(Math.max(...times)).toBeLessThan(200);
});

it('an older part is put before what is loaded within a frame or two', () => {
  const views = [0, 1000, ROWS.kept].map((rows): [number, SessionView] => {
    const view = emptyView();
    openSlice(view, sliceBefore(1_000_001));
    while (view.rows.length < rows) prependSlice(view, sliceBefore(view.from));
    return [view.rows.length, view];
  });
  const times = views.map(([rows, view]): [number, number] => {
    const slice = sliceBefore(view.from);
    return [rows, median(21, () => prependSlice(Object.assign(emptyView(), view), slice))];
  });
  for (const [rows, time] of times) say(`prepend to ${rows} rows: ${ms(time)}`);
  const [first, last] = [times[0], times.at(-1)];
  if (first && last) say(`prepend to ${last[0]} : ${first[0]} rows = ${(last[1] / first[1]).toFixed(2)}`);
  expect(last?.[1]).toBeLessThan(200);
});

it('what is held at the end does not grow with what was said', () => {
  const view = emptyView();
  const held: [number, number, number][] = [];
  let worst = 0;
  const start = performance.now();
  for (let seq = 1; seq <= 200_000; seq++) {
    const one = performance.now();
    apply(view, eventAt(seq));
    if (isLong(view)) trimTop(view);
    worst = Math.max(worst, performance.now() - one);
    if (seq === 20_000 || seq === 200_000) held.push([seq, view.rows.length, view.held.events.length]);
  }
  const all = performance.now() - start;
  for (const [seq, rows, events] of held) say(`after ${seq} events: ${rows} rows, ${events} events held`);
  say(`an event: ${((all / 200_000) * 1000).toFixed(1)} µs, the longest ${ms(worst)}`);
  expect(view.rows.length).toBeLessThanOrEqual(ROWS.kept + ROWS.more);
});
