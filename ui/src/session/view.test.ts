import { describe, expect, it } from 'vitest';
import type { Event, EventBody, ToolCall } from '../bindings/bindings';
import { everything, story, withQuestion } from '../dev/story';
import type { Row } from './rows';
import { apply, emptyView, outermost, rowOf, type SessionView } from './view';

let seq = 0;
function event(body: EventBody, parent?: string): Event {
  seq += 1;
  return {
    seq,
    at: `2026-11-30T04:00:${String(seq % 60).padStart(2, '0')}.000Z`,
    ...(parent ? { parent_tool_call_id: parent } : {}),
    ...body,
  } as Event;
}
function viewOf(...bodies: (EventBody | [EventBody, string])[]): SessionView {
  seq = 0;
  const view = emptyView();
  for (const body of bodies) apply(view, Array.isArray(body) ? event(body[0], body[1]) : event(body));
  return view;
}
const say = (text: string, id = 'm1'): EventBody => ({ type: 'message_chunk', text, message_id: id });
const think = (text: string, id = 'm1'): EventBody => ({ type: 'reasoning', reasoning_text: text, message_id: id });
const prompt = (text: string): EventBody => ({
  type: 'user_message',
  text,
  uuid: null,
  attachments: [],
  synthetic: false,
});
const call = (id: string, status: ToolCall['tool_status']): ToolCall => ({
  tool_call_id: id,
  tool_name: 'Bash',
  tool_title: 'ls',
  tool_status: status,
  normalized: { kind: 'generic', generic: { name: 'Bash', input: {}, output: null } },
});
const start = (id: string): EventBody => ({ type: 'tool_call', ...call(id, 'running') });
const finish = (id: string): EventBody => ({ type: 'tool_update', ...call(id, 'complete') });
const done: EventBody = {
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
    last_message_uuid: null,
    permission_denials: [],
  },
};
const asked = (pending: string, tool: string | null): EventBody => ({
  type: 'permission_request',
  pending_id: pending,
  tool_call_id: tool,
  tool_name: 'Bash',
  tool_title: 'ls',
  action_type: 'command',
  input: {},
  suggestions: [],
  normalized: { kind: 'generic', generic: { name: 'Bash', input: {}, output: null } },
  data: {
    display_name: null,
    description: null,
    decision_reason: null,
    decision_reason_type: null,
    blocked_path: null,
    agent_id: null,
    title: null,
    requires_user_interaction: false,
  },
});

/** The rows in short: kind and text. */
function shape(rows: Row[]): string[] {
  return rows.flatMap((row) => {
    switch (row.kind) {
      case 'answer':
      case 'reasoning':
        return [`${row.kind} ${row.text.read()}${row.streaming ? ' ...' : ''}`];
      case 'prompt':
        return [`prompt ${row.text}`];
      case 'tool':
        return [
          `tool ${row.call.tool_call_id} ${row.call.tool_status}`,
          ...shape(row.children).map((child) => `> ${child}`),
        ];
      default:
        return [row.kind];
    }
  });
}

describe('text', () => {
  it('gathers the deltas of a message in one row that streams', () => {
    expect(shape(viewOf(say('Hel'), say('lo')).rows)).toEqual(['answer Hello ...']);
  });

  it('is whole once something else is said', () => {
    expect(shape(viewOf(say('Hello'), start('t'), say('again')).rows)).toEqual([
      'answer Hello',
      'tool t running',
      'answer again ...',
    ]);
  });

  it('keeps the order of speech when a message thinks, answers and uses tools', () => {
    const view = viewOf(think('hm'), say('a'), start('t'), finish('t'), say('b', 'm2'), done);
    expect(shape(view.rows)).toEqual(['reasoning hm', 'answer a', 'tool t complete', 'answer b', 'turn']);
  });

  it('goes on in its row when a notice or a prompt comes in between', () => {
    const note: EventBody = { type: 'notice', kind: 'informational', text: 'by the way', data: null };
    expect(shape(viewOf(say('half a sen'), note, prompt('and then'), say('tence'), done).rows)).toEqual([
      'answer half a sentence',
      'notice',
      'prompt and then',
      'turn',
    ]);
  });

  it('is void when it is discarded, and what was confirmed is said again below', () => {
    const view = viewOf(
      prompt('p'),
      say('confirmed '),
      say('and not'),
      { type: 'message_discarded', message_id: 'm1' },
      say('confirmed '),
      done,
    );
    expect(shape(view.rows)).toEqual(['prompt p', 'void', 'answer confirmed ', 'turn']);
  });

  it('voids thinking and text of the discarded message alone', () => {
    const view = viewOf(say('kept', 'm0'), start('t'), think('gone'), say('gone'), {
      type: 'message_discarded',
      message_id: 'm1',
    });
    expect(shape(view.rows)).toEqual(['answer kept', 'tool t running', 'void', 'void']);
  });

  it('is no answer any more when the CLI takes it back', () => {
    const back: EventBody = { type: 'notice', kind: 'supersedes', text: 'taken back', data: { message_id: 'm1' } };
    expect(shape(viewOf(say('kept', 'm0'), start('t'), say('refused'), back, say('better', 'm2')).rows)).toEqual([
      'answer kept',
      'tool t running',
      'void',
      'notice',
      'answer better ...',
    ]);
  });

  it('gives a row a new identity with each delta and leaves the others alone', () => {
    const view = viewOf(prompt('p'), say('a'));
    const [before, first] = [view.rows[1], view.rows[0]];
    apply(view, event(say('b')));
    expect(view.rows[1]).not.toBe(before);
    expect(view.rows[0]).toBe(first);
  });
});

describe('tool calls', () => {
  it('are replaced by their update, in their place', () => {
    expect(shape(viewOf(start('a'), start('b'), finish('a')).rows)).toEqual(['tool a complete', 'tool b running']);
  });

  it('nest by the call that started them, to any depth', () => {
    const view = viewOf(
      start('a'),
      [start('b'), 'a'],
      [start('c'), 'b'],
      [say('deep'), 'c'],
      [finish('c'), 'b'],
      finish('a'),
    );
    expect(shape(view.rows)).toEqual([
      'tool a complete',
      '> tool b running',
      '> > tool c complete',
      '> > > answer deep',
    ]);
    expect(outermost(view, 'tc')).toBe('ta');
    expect(rowOf(view, 'tc')?.kind).toBe('tool');
  });

  it('renew every call around a nested one that changed', () => {
    const view = viewOf(start('a'), [start('b'), 'a']);
    const before = view.rows[0];
    apply(view, event(finish('b'), 'a'));
    expect(view.rows[0]).not.toBe(before);
  });

  it('do not end the main thread\u2019s text when a subagent speaks', () => {
    const view = viewOf(start('a'), say('main'), [say('sub', 's1'), 'a'], say(' goes on'));
    expect(shape(view.rows)).toEqual(['tool a running', '> answer sub', 'answer main goes on ...']);
  });

  it('stand in the timeline when the call around them is not known', () => {
    expect(shape(viewOf([start('b'), 'nobody']).rows)).toEqual(['tool b running']);
  });
});

describe('permission requests', () => {
  it('are open until they are resolved, and leave a record on their call', () => {
    const view = viewOf(start('a'), asked('p1', 'a'));
    expect(view.open.map((one) => one.id)).toEqual(['p1']);
    expect(rowOf(view, 'ta')).toMatchObject({ waiting: true });
    apply(view, event({ type: 'permission_resolved', pending_id: 'p1', behavior: 'deny', by: 'user' }));
    expect(view.open).toEqual([]);
    expect(rowOf(view, 'ta')).toMatchObject({
      waiting: false,
      record: { behavior: 'deny', by: 'user', cancelled: false },
    });
  });

  it('close when they are withdrawn', () => {
    const view = viewOf(start('a'), asked('p1', 'a'), { type: 'permission_cancelled', pending_id: 'p1' });
    expect(view.open).toEqual([]);
    expect(rowOf(view, 'ta')).toMatchObject({ waiting: false, record: { cancelled: true, behavior: null } });
  });

  it('may come before their call and without one', () => {
    const view = viewOf(asked('p1', 'late'), asked('p2', null), start('late'));
    expect(view.open).toHaveLength(2);
    expect(rowOf(view, 'tlate')).toMatchObject({ waiting: true });
  });

  it('are answered in any order', () => {
    const view = viewOf(asked('p1', null), asked('p2', null), asked('p3', null), {
      type: 'permission_resolved',
      pending_id: 'p2',
      behavior: 'allow',
      by: 'user',
    });
    expect(view.open.map((one) => one.id)).toEqual(['p1', 'p3']);
  });
});

describe('a permission request', () => {
  const resolved = (more: object): EventBody =>
    ({ type: 'permission_resolved', pending_id: 'p1', behavior: 'allow', by: 'user', ...more }) as EventBody;

  it('leaves with its call what was used in place of what was asked, and what was taken with it', () => {
    const rule = { type: 'setMode', mode: 'acceptEdits', destination: 'session' };
    const view = viewOf(
      start('a'),
      asked('p1', 'a'),
      resolved({ updated_input: { command: 'ls -a' }, updated_permissions: [rule] }),
    );
    expect(rowOf(view, 'ta')).toMatchObject({
      record: { edited: true, input: {}, updated_input: { command: 'ls -a' }, permissions: [rule], message: null },
    });
  });

  it('leaves the message of a denial, and whether it stopped the turn', () => {
    const view = viewOf(
      start('a'),
      asked('p1', 'a'),
      resolved({ behavior: 'deny', by: 'timeout', message: 'nobody answered', interrupt: true }),
    );
    expect(rowOf(view, 'ta')).toMatchObject({
      record: { behavior: 'deny', by: 'timeout', message: 'nobody answered', interrupt: true, edited: false },
    });
  });

  it('that is told twice is asked once', () => {
    expect(viewOf(asked('p1', null), asked('p1', null)).open).toHaveLength(1);
  });
});

describe('an API error', () => {
  const text = 'API Error: 400 messages: too long';
  const over: EventBody = { ...done, data: { ...done.data, is_error: true } } as EventBody;
  const error = (data: object = {}): EventBody =>
    ({ type: 'error', error: text, data: { code: 'unknown', ...data } }) as EventBody;

  it('that comes as an answer too is told once', () => {
    expect(shape(viewOf(prompt('go'), say(text), over, error()).rows)).toEqual(['prompt go', 'void', 'turn', 'error']);
  });

  it('takes the answer that it names, whatever its words are', () => {
    const view = viewOf(prompt('go'), say('Other words', 'm7'), over, error({ message_id: 'm7' }));
    expect(shape(view.rows)).toEqual(['prompt go', 'void', 'turn', 'error']);
  });

  it('leaves what the agent said before it, and the turn before', () => {
    const view = viewOf(prompt('a'), say(text, 'm0'), over, error(), prompt('b'), say('fine', 'm1'), over, error());
    expect(shape(view.rows)).toEqual(['prompt a', 'void', 'turn', 'error', 'prompt b', 'answer fine', 'turn', 'error']);
  });
});

describe('turns', () => {
  it('end with the process, and the next one begins when it begins', () => {
    const data = { exit_code: null, signal: 'SIGKILL', stderr_tail: '', expected: false };
    const view = viewOf({ type: 'session_state', state: 'running' }, say('a'));
    expect(view.turn.startedAt).not.toBeNull();
    apply(view, event({ type: 'session_ended', data }));
    expect(view.turn.startedAt).toBeNull();
    const again = event({ type: 'session_state', state: 'running' });
    apply(view, again);
    expect(view.turn.startedAt).toBe(again.at);
  });

  it('are as old as their own prompt, where nobody said that the one before ended', () => {
    const view = viewOf(prompt('first'), say('a'), { type: 'session_state', state: 'idle' });
    const next = { ...event(prompt('second')), at: '2026-11-30T13:42:00Z' };
    apply(view, next);
    expect(view.turn.startedAt).toBe(next.at);
    apply(view, event({ type: 'session_state', state: 'running' }));
    expect(view.turn.startedAt).toBe(next.at);
  });

  it('are counted, and what they changed is kept with them', () => {
    const view = viewOf(
      prompt('p'),
      { type: 'turn_diff_updated', files: [{ path: 'a.rs', added: 3, removed: 1 }], diff: 'd' },
      done,
      prompt('q'),
      done,
    );
    expect(view.turns.map((turn) => [turn.number, turn.files.length])).toEqual([
      [1, 1],
      [2, 0],
    ]);
    expect(view.rows[1]).toMatchObject({ kind: 'turn', number: 1, files: 1, added: 3, removed: 1 });
  });

  it('keep their start when a prompt comes in between', () => {
    const view = viewOf(prompt('p'), { type: 'session_state', state: 'running' }, prompt('q'));
    expect(view.turn.startedAt).toBe('2026-11-30T04:00:01.000Z');
  });
});

describe('the rest', () => {
  it('gives prompts that were not delivered to the composer, with their images, and says so', () => {
    const image = { media_type: 'image/png', data: 'aGk=' };
    const text = 'This prompt was not delivered. It is given back.';
    const view = viewOf(
      {
        type: 'notice',
        kind: 'prompt_returned',
        text,
        data: { text: 'do it', uuid: 'u', images: [image, { odd: 1 }] },
      },
      { type: 'notice', kind: 'prompt_returned', text, data: null },
    );
    expect(view.returned).toEqual([
      { seq: 1, text: 'do it', images: [image] },
      { seq: 2, text: '', images: [] },
    ]);
    expect(shape(view.rows)).toEqual(['notice', 'notice']);
  });

  it('reads the usage windows of a rate limit', () => {
    const view = viewOf({
      type: 'rate_limit',
      rate_limit_message: 'm',
      data: {
        rate_limit_info: {
          status: 'allowed_warning',
          rateLimitType: 'five_hour',
          utilization: 0.92,
          unifiedWindows: { seven_day: { utilization: 0.2, resetsAt: 10, status: 'allowed' } },
        },
      },
    });
    expect([...view.limits.values()].map((l) => [l.key, l.utilization, l.status, l.resetsAt])).toEqual([
      ['seven_day', 0.2, 'allowed', 10_000],
      ['five_hour', 0.92, 'allowed_warning', null],
    ]);
  });

  it('survives a rate limit that says nothing', () => {
    expect(viewOf({ type: 'rate_limit', rate_limit_message: '', data: null }).limits.size).toBe(0);
  });

  it('takes the last word on a task and keeps the earlier ones', () => {
    const view = viewOf(
      { type: 'task_started', task_id: 'k', description: 'Look', subagent_type: 'Explore' },
      { type: 'task_progress', task_id: 'k', last_tool_name: 'Grep' },
      { type: 'task_notification', task_id: 'k', status: 'completed', summary: 'found' },
    );
    expect([...view.tasks.values()]).toMatchObject([
      { description: 'Look', last_tool_name: 'Grep', status: 'completed', summary: 'found', over: true },
    ]);
  });

  it('keeps lines that nobody knows', () => {
    expect(viewOf({ type: 'unrecognized', raw: '[1]' }).rows).toMatchObject([{ kind: 'unrecognized', raw: '[1]' }]);
  });

  it('leaves out events that it has had', () => {
    const view = viewOf(say('a'));
    apply(view, { ...event(say('a')), seq: 1 } as Event);
    expect(shape(view.rows)).toEqual(['answer a ...']);
  });

  it('keeps a bounded number of events for the inspector', () => {
    const view = emptyView();
    for (const one of everything(6000)) apply(view, one);
    expect(view.log.length).toBeLessThanOrEqual(4000);
    expect(view.log.at(-1)?.seq).toBe(view.lastSeq);
  });
});

const fixtures = import.meta.glob<string>('./fixtures/*.jsonl', { query: '?raw', import: 'default', eager: true });

it('says once that a turn was interrupted', () => {
  const view = emptyView();
  for (const line of fixtures['./fixtures/interrupt_stream.jsonl']?.split('\n') ?? []) {
    if (line !== '') apply(view, JSON.parse(line) as Event);
  }
  expect(view.log.some((one) => one.type === 'error')).toBe(true);
  expect(view.rows.some((row) => row.kind === 'turn' && row.data.is_error)).toBe(true);
  expect(view.rows.filter((row) => row.kind === 'error')).toEqual([]);
});

describe('any recorded conversation', () => {
  it('is there', () => expect(Object.keys(fixtures).length).toBeGreaterThan(3));

  const recordings: [string, Event[]][] = [
    ['story', story()],
    ...['approval', 'command', 'question', 'plan'].map((name): [string, Event[]] => [name, withQuestion(name)]),
    ['long', everything(500)],
    ...Object.entries(fixtures).map(([path, text]): [string, Event[]] => [
      path,
      text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Event),
    ]),
  ];

  it.each(recordings)('%s: is the same in one go and in two watches that overlap', (_name, events) => {
    const whole = emptyView();
    for (const one of events) apply(whole, one);
    const half = emptyView();
    const middle = Math.floor(events.length / 2);
    for (const one of [...events.slice(0, middle), ...events.slice(Math.max(0, middle - 5))]) apply(half, one);
    expect(shape(half.rows)).toEqual(shape(whole.rows));
    expect(half.open).toEqual(whole.open);
  });

  it.each(recordings)('%s: every text stands on screen once, unless it was discarded', (_name, events) => {
    const view = emptyView();
    const wanted = new Map<string, string>();
    for (const one of events) {
      apply(view, one);
      if (one.type === 'message_chunk') wanted.set(one.message_id, (wanted.get(one.message_id) ?? '') + one.text);
      if (one.type === 'message_discarded') wanted.delete(one.message_id);
    }
    const shown = new Map<string, string>();
    const walk = (rows: Row[]) => {
      for (const row of rows) {
        if (row.kind === 'answer') shown.set(row.message, (shown.get(row.message) ?? '') + row.text.read());
        if (row.kind === 'tool') walk(row.children);
      }
    };
    walk(view.rows);
    for (const [id, text] of wanted) if (text !== '') expect(shown.get(id)).toBe(text);
    expect(shown.size).toBe([...wanted.values()].filter((text) => text !== '').length);
  });

  it.each(recordings)('%s: every row can be found by its key', (_name, events) => {
    const view = emptyView();
    for (const one of events) apply(view, one);
    for (const row of view.rows) expect(rowOf(view, row.key)).toBe(row);
  });
});
