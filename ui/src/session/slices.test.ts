import { describe, expect, it } from 'vitest';
import { cut, sliceBefore } from '../backend/recorded';
import type { Event, EventBody } from '../bindings/bindings';
import { everything, story, withQuestion, withQueue, withTasks } from '../dev/story';
import { folded, Held, standingAfter, throughOf } from './journal';
import type { Row } from './rows';
import { appendSlice, copyOf, isLong, openSlice, prependSlice, ROWS, sliceOf, trimTop } from './slices';
import { apply, emptyView, rowOf, type SessionView } from './view';

const fixtures = import.meta.glob<string>('./fixtures/*.jsonl', { query: '?raw', import: 'default', eager: true });
const parse = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Event);

/** A small generator with a seed, so that a failure can be seen again. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

function numbered(...bodies: (EventBody | [EventBody, string])[]): Event[] {
  return bodies.map((body, i) => {
    const [one, parent] = Array.isArray(body) ? body : [body, undefined];
    const at = new Date(Date.UTC(2026, 0, 1, 0, 0, i)).toISOString();
    return { seq: i + 1, at, ...(parent ? { parent_tool_call_id: parent } : {}), ...one } as Event;
  });
}

const prompt = (text: string, uuid: string | null = null): EventBody => ({
  type: 'user_message',
  text,
  uuid,
  attachments: [],
  synthetic: false,
});
const state = (word: 'idle' | 'running' | 'ended'): EventBody => ({ type: 'session_state', state: word });
const say = (text: string, id = 'm1'): EventBody => ({ type: 'message_chunk', text, message_id: id });
const call = (id: string, status: 'running' | 'complete'): EventBody => ({
  type: status === 'running' ? 'tool_call' : 'tool_update',
  tool_call_id: id,
  tool_name: 'Bash',
  tool_title: 'ls',
  tool_status: status,
  normalized: { kind: 'generic', generic: { name: 'Bash', input: {}, output: null } },
});
const done = (last: string | null = null): EventBody => ({
  type: 'complete',
  data: {
    cost_usd: 0.1,
    total_cost_usd: 0.1,
    duration_ms: 1,
    duration_api_ms: 1,
    num_turns: 1,
    input_tokens: 1,
    output_tokens: 1,
    subtype: 'success',
    is_error: false,
    terminal_reason: null,
    last_message_uuid: last,
    permission_denials: [],
  },
});
const ended: EventBody = {
  type: 'session_ended',
  data: { exit_code: 0, signal: null, stderr_tail: '', expected: true },
};
const status = (how: 'new' | 'resumed'): EventBody => ({
  type: 'session_status',
  data: {
    session_status: how,
    model: 'm',
    cwd: '/w',
    permission_mode: 'default',
    tools: [],
    mcp_servers: [],
    cli_version: '2',
  },
});
const notice = (kind: string, data: unknown): EventBody => ({ type: 'notice', kind, text: kind, data });

const resumed = numbered(
  status('new'),
  prompt('one', 'u1'),
  state('running'),
  say('first'),
  done('a1'),
  state('idle'),
  ended,
  state('ended'),
  prompt('two', 'u2'),
  state('running'),
  status('resumed'),
  say('second', 'm2'),
  done('a2'),
  prompt('three', 'u3'),
  state('running'),
  status('resumed'),
  say('third', 'm3'),
  done('a3'),
);
const retried = numbered(
  status('new'),
  prompt('one', 'u1'),
  state('running'),
  say('first'),
  done('a1'),
  state('idle'),
  prompt('two', 'u2'),
  state('running'),
  say('wrong', 'm2'),
  done('a2'),
  notice('retried_from', { message_uuid: 'a1' }),
  prompt('two', 'u3'),
  state('running'),
  say('wrong again', 'm3'),
  done('a3'),
  notice('retried_from', { message_uuid: 'a1' }),
  prompt('two', 'u4'),
  state('running'),
  say('right', 'm4'),
  done('a4'),
);

const recordings: [string, Event[]][] = [
  ['story', story()],
  ['queue', withQueue()],
  ['tasks', withTasks(true)],
  ['resumed', resumed],
  ['retried', retried],
  ...['approval', 'command', 'question', 'plan'].map((name): [string, Event[]] => [name, withQuestion(name)]),
  ['long', everything(300)],
  ...Object.entries(fixtures).map(([path, text]): [string, Event[]] => [path, parse(text)]),
];

/** What a person sees of rows: all of it but how often a text was drawn. */
function plain(rows: readonly Row[]): unknown[] {
  return rows.map((row) => {
    if (row.kind === 'answer' || row.kind === 'reasoning') return { ...row, text: row.text.read(), rev: 0 };
    return row.kind === 'tool' ? { ...row, children: plain(row.children) } : row;
  });
}

/** What is known besides. */
function known(view: SessionView) {
  return {
    open: view.open,
    todos: view.todos,
    mode: view.mode,
    model: view.model,
    title: view.title,
    context: view.context,
    commands: view.commands,
    limits: [...view.limits],
    queue: view.queue.waiting,
    running: [...view.tasks.values()].filter((task) => !task.over).map((task) => task.key),
    state: view.state,
    turn: view.turn,
    ended: view.ended,
    lastSeq: view.lastSeq,
  };
}

/** What is known wherever one begins to read: times and counts that began before are not. */
function standing(view: SessionView) {
  const { open, todos, mode, model, title, commands, context, running, state, ended: _, ...rest } = known(view);
  return {
    open,
    ...{ todos, mode, model, title, commands, context, state },
    running: running.sort(),
    turn: rest.turn.number,
    lastSeq: rest.lastSeq,
  };
}

function whole(events: readonly Event[]): SessionView {
  const view = emptyView();
  for (const one of events) apply(view, one);
  return view;
}

/** Places at which a journal may be cut, each as a place in the list. */
function cuts(count: number, next: () => number): number[] {
  const many = 1 + Math.floor(next() * 6);
  const at = Array.from({ length: many }, () => Math.floor(next() * (count + 1)));
  return [...new Set([0, ...at, count])].sort((a, b) => a - b);
}

describe('a view made from slices', () => {
  it.each(recordings)('%s: is the same as that of the whole, cut anywhere and loaded in any order', (_name, raw) => {
    const next = random(raw.length);
    for (let round = 0; round < 60; round++) {
      const events = round % 2 === 0 ? raw : folded(raw);
      const at = cuts(events.length, next);
      const slices = at.slice(1).map((end, i) => cut(events, at[i] ?? 0, end));
      let [low, high] = Array(2).fill(Math.floor(next() * slices.length)) as [number, number];
      const view = emptyView();
      openSlice(view, slices[low] ?? cut(events, 0, 0));
      while (low > 0 || high < slices.length - 1) {
        const [older, newer] = [slices[low - 1], slices[high + 1]];
        if (older && (!newer || next() < 0.5)) {
          prependSlice(view, older);
          low -= 1;
        } else if (newer) {
          appendSlice(view, newer);
          high += 1;
        }
        const all = whole(events.slice(0, at[high + 1]));
        expect(standing(view)).toEqual(standing(all));
        for (const row of view.rows) expect(rowOf(view, row.key)).toBe(row);
      }
      const all = whole(events);
      expect(plain(view.rows)).toEqual(plain(all.rows));
      expect(known(view)).toEqual(known(all));
      expect([view.earlier, view.later]).toEqual([false, false]);
    }
  });

  it.each(recordings)('%s: has the rows of the whole that began in it, wherever it begins', (_name, raw) => {
    for (let from = 0; from < raw.length; from += Math.max(1, Math.floor(raw.length / 40))) {
      const view = emptyView();
      openSlice(view, cut(raw, from, raw.length));
      const all = whole(raw);
      expect(standing(view)).toEqual(standing(all));
      const begun = all.rows.filter((row) => row.seq >= view.from && row.kind !== 'try' && row.behind === undefined);
      const here = new Set(view.rows.map((row) => row.key));
      expect(begun.filter((row) => !here.has(row.key))).toEqual([]);
      const numbers = view.rows.flatMap((row) => (row.kind === 'turn' ? [row.number] : []));
      expect(numbers).toEqual(
        all.rows.flatMap((row) => (row.kind === 'turn' && row.seq >= view.from ? [row.number] : [])),
      );
      const order = view.rows.map((row) => row.seq);
      expect(order).toEqual([...order].sort((a, b) => a - b));
    }
  });

  it.each(recordings)('%s: goes on live in the middle of a text', (_name, raw) => {
    const middle = Math.floor(raw.length / 2);
    const view = emptyView();
    openSlice(view, sliceBefore(folded(raw.slice(0, middle)), Infinity, 5));
    for (const one of raw.slice(middle)) apply(view, one);
    expect(standing(view)).toEqual(standing(whole(raw)));
    while (view.earlier) prependSlice(view, sliceBefore(folded(raw), view.from, 7));
    expect(plain(view.rows)).toEqual(plain(whole(raw).rows));
  });

  it('takes a folded text for all the numbers of its pieces', () => {
    const view = emptyView();
    const [first, ...rest] = folded(numbered(say('a'), say('b'), say('c'), done()));
    expect([first?.seq, first && throughOf(first)]).toEqual([1, 3]);
    for (const one of [first, ...rest]) if (one) apply(view, one);
    expect(view.lastSeq).toBe(4);
    apply(view, { ...numbered(say('b'))[0], seq: 2 } as Event);
    expect(view.rows.map((row) => row.kind)).toEqual(['answer', 'turn']);
  });

  it('shows a call that began before it and ends in it once, also when the rest is loaded', () => {
    const events = numbered(
      prompt('go'),
      call('t', 'running'),
      say('meanwhile'),
      call('t', 'complete'),
      say('x', 'm2'),
    );
    const view = emptyView();
    openSlice(view, cut(events, 2, 5));
    expect(view.rows.map((row) => row.key)).toEqual(['a3', 'tt', 'a5']);
    prependSlice(view, cut(events, 0, 2));
    expect(view.rows.map((row) => row.key)).toEqual(['p1', 'tt', 'a3', 'a5']);
    expect(rowOf(view, 'tt')).toMatchObject({ call: { tool_status: 'complete' } });
  });

  it('keeps the rows of a subagent together whose call is not loaded', () => {
    const events = numbered(
      { type: 'task_started', task_id: 'k', tool_use_id: 't', description: 'Count' },
      call('t', 'running'),
      [call('i', 'running'), 't'],
      [call('i', 'complete'), 't'],
      [call('j', 'running'), 't'],
      call('t', 'complete'),
    );
    const view = emptyView();
    openSlice(view, cut(events, 3, 5));
    expect(view.rows).toMatchObject([{ key: 'tt', children: [{ key: 'ti' }, { key: 'tj' }] }]);
    expect(view.rows).toMatchObject([{ call: { tool_title: 'Count' } }]);
    appendSlice(view, cut(events, 5, 6));
    prependSlice(view, cut(events, 0, 3));
    expect(plain(view.rows)).toEqual(plain(whole(events).rows));
  });

  it('shows an open question whose request is not loaded', () => {
    const events = [...withQuestion('approval'), ...everything(40)].map((one, i) => ({ ...one, seq: i + 1 }));
    const view = emptyView();
    openSlice(view, cut(events, events.length - 10, events.length));
    expect(view.open.map((one) => one.id)).toEqual(whole(events).open.map((one) => one.id));
    expect(view.open.length).toBeGreaterThan(0);
    expect(view.rows.every((row) => row.seq >= view.from)).toBe(true);
  });
});

describe('where a session was taken up again', () => {
  it('has a line before the prompt that started it, once for each process', () => {
    const kinds = whole(resumed).rows.map((row) => (row.kind === 'notice' ? row.notice : row.kind));
    expect(kinds).toEqual([
      'prompt',
      'answer',
      'turn',
      'ended',
      'resumed',
      'prompt',
      'answer',
      'turn',
      'prompt',
      'answer',
      'turn',
    ]);
  });

  it('has none where nothing was before', () => {
    expect(whole(numbered(status('resumed'), say('hi'))).rows.map((row) => row.kind)).toEqual(['answer']);
  });

  it('folds what a retry left behind under one line, also when it was tried twice', () => {
    const view = whole(retried);
    const heads = view.rows.filter((row) => row.kind === 'try');
    expect(heads).toMatchObject([{ tries: 2 }]);
    const shown = view.rows.filter((row) => row.behind === undefined && row.kind !== 'void');
    expect(shown.map((row) => row.kind)).toEqual([
      'prompt',
      'answer',
      'turn',
      'try',
      'notice',
      'prompt',
      'answer',
      'turn',
    ]);
    const left = view.rows.filter((row) => row.behind !== undefined).map((row) => row.kind);
    expect(left).toEqual(['prompt', 'answer', 'turn', 'notice', 'prompt', 'answer', 'turn']);
    expect(new Set(view.rows.map((row) => row.behind))).toEqual(new Set([undefined, heads[0]?.key]));
  });

  it('leaves what happened to the session itself where it is', () => {
    const view = whole([
      ...resumed,
      ...numbered(notice('retried_from', { message_uuid: 'a1' })).map((one) => ({ ...one, seq: 19 })),
    ]);
    const shown = view.rows
      .filter((row) => row.behind === undefined)
      .map((row) => (row.kind === 'notice' ? row.notice : row.kind));
    expect(shown).toEqual(['prompt', 'answer', 'turn', 'ended', 'resumed', 'try', 'retried_from']);
  });

  it('folds the last prompt where the message that it went back to is not known', () => {
    const view = whole(
      numbered(
        prompt('a'),
        say('x'),
        done(),
        prompt('b'),
        say('y', 'm2'),
        notice('retried_from', { message_uuid: '?' }),
      ),
    );
    expect(view.rows.filter((row) => row.behind !== undefined).map((row) => row.kind)).toEqual(['prompt', 'answer']);
  });
});

describe('a view that gets long', () => {
  const long = (turns: number) =>
    numbered(
      status('new'),
      { type: 'todos', items: [{ id: '1', description: 'keep', status: 'pending', active_form: null }] },
      ...Array.from({ length: turns }, (_, i): EventBody[] => [
        prompt(`p${i}`),
        state('running'),
        say('a', `m${i}`),
        say('b', `m${i}`),
        call(`t${i}`, 'running'),
        call(`t${i}`, 'complete'),
        done(`u${i}`),
        state('idle'),
      ]).flat(),
    );

  it('lets go of its oldest rows, knows the same, and gets them back', () => {
    const events = long(60);
    const view = whole(events);
    const before = known(view);
    trimTop(view, 50);
    expect(view.rows.length).toBeLessThanOrEqual(50);
    expect(view.rows[0]).toMatchObject({ kind: 'prompt', seq: view.from });
    expect(view.earlier).toBe(true);
    expect(known(view)).toEqual(before);
    expect(view.held.events[0]?.seq).toBe(view.from);
    for (const row of view.rows) expect(rowOf(view, row.key)).toBe(row);
    while (view.earlier) prependSlice(view, sliceBefore(folded(events), view.from, 30));
    expect(plain(view.rows)).toEqual(plain(whole(events).rows));
    expect(known(view)).toEqual(before);
    expect(view.turns.map((turn) => turn.number)).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
  });

  it('holds as much as a screen needs after two hundred thousand events, whatever they are', () => {
    const view = emptyView();
    let seq = 0;
    const hear = (body: EventBody, parent?: string) => {
      seq += 1;
      const at = '2026-01-01T00:00:00Z';
      apply(view, { seq, at, ...(parent ? { parent_tool_call_id: parent } : {}), ...body } as Event);
      if (isLong(view)) trimTop(view);
    };
    let most = 0;
    for (let turn = 0; seq < 200_000; turn++) {
      hear(prompt(`p${turn}`));
      hear(state('running'));
      for (let i = 0; i < 20; i++) hear(say('word ', `m${turn}`));
      hear(call(`a${turn}`, 'running'));
      for (let i = 0; i < 20; i++) hear(call(`c${turn}.${i}`, i % 2 === 0 ? 'running' : 'complete'), `a${turn}`);
      for (let i = 0; i < 20; i++) hear(call(`b${turn}.${i}`, 'complete'));
      hear(call(`a${turn}`, 'complete'));
      hear(done());
      most = Math.max(most, view.rows.length, view.held.events.length / 6);
    }
    expect(most).toBeLessThanOrEqual(ROWS.kept + ROWS.more + 1);
    expect(view.places.size).toBeLessThan(4 * ROWS.kept);
    expect(view.records.size + view.asked.size).toBe(0);
  });

  it('keeps the last rows of a subagent that never stops talking', () => {
    const view = emptyView();
    const events = numbered(
      call('t', 'running'),
      ...Array.from({ length: 7000 }, (_, i): [EventBody, string] => [call(`i${i}`, 'complete'), 't']),
    );
    for (const one of events) apply(view, one);
    const row = view.rows[0];
    if (row?.kind !== 'tool') throw new Error('no call');
    expect(row.children.length + row.dropped).toBe(7000);
    expect(row.children.length).toBeLessThanOrEqual(5000);
    expect(row.children.at(-1)?.key).toBe('ti6999');
    for (const child of row.children) expect(rowOf(view, child.key)).toBe(child);
    expect(view.held.events.length).toBeLessThanOrEqual(5001);
  });

  it('does not let go of a call that runs', () => {
    const view = whole(numbered(call('t', 'running'), ...Array.from({ length: 80 }, (_, i) => say('x', `m${i}`))));
    trimTop(view, 50);
    expect(view.rows[0]?.key).toBe('tt');
  });

  it('can be copied as far as a person reads, and joined again', () => {
    const events = long(40);
    const live = whole(events);
    const reading = copyOf(live, 100);
    trimTop(live, 50);
    expect(reading.later).toBe(true);
    expect(plain(reading.rows)).toEqual(plain(whole(events.slice(0, 99)).rows));
    while (reading.lastSeq + 1 < live.from) appendSlice(reading, cut(events, reading.lastSeq, reading.lastSeq + 13));
    prependSlice(live, sliceOf(reading, live.from));
    expect(plain(live.rows)).toEqual(plain(whole(events).rows));
    expect(known(live)).toEqual(known(whole(events)));
  });
});

describe('what is held', () => {
  it('has texts as one and everything else as it came', () => {
    const held = new Held();
    const events = numbered(
      say('a'),
      say('b'),
      say('c', 'm2'),
      [say('d', 'm2'), 't'],
      say('e', 'm2'),
      say('f', 'm2'),
      done(),
    );
    for (const one of events) held.push(one);
    expect(held.events.map((one) => [one.seq, throughOf(one), 'text' in one ? one.text : ''])).toEqual([
      [1, 2, 'ab'],
      [3, 3, 'c'],
      [4, 4, 'd'],
      [5, 6, 'ef'],
      [7, 7, ''],
    ]);
    // What it was given stays as it was.
    expect(events.map((one) => ('text' in one ? one.text : ''))).toEqual(['a', 'b', 'c', 'd', 'e', 'f', '']);
  });

  it('tells what stands: the newest word, what is open, what runs', () => {
    const events = numbered(
      { type: 'mode_changed', mode: 'plan' },
      { type: 'task_started', task_id: 'a' },
      { type: 'task_started', task_id: 'b' },
      { type: 'mode_changed', mode: 'default' },
      { type: 'task_notification', task_id: 'a', status: 'completed' },
      notice('elicitation', { request_id: 'q' }),
    );
    expect(standingAfter(events).map((one) => one.seq)).toEqual([3, 4, 6]);
    expect(standingAfter([...events, ...numbered(ended)]).map((one) => one.type)).toEqual(['mode_changed']);
  });
});
