import { describe, expect, it } from 'vitest';
import type { Event, EventBody, ToolCall } from '../bindings/bindings';
import { apply, emptyView, type SessionView } from './view';

function viewOf(...bodies: (EventBody & { parent?: string })[]): SessionView {
  const view = emptyView();
  bodies.forEach(({ parent, ...body }, i) =>
    apply(view, {
      seq: i + 1,
      at: `2026-11-30T04:00:${String(i % 60).padStart(2, '0')}.000Z`,
      ...(parent ? { parent_tool_call_id: parent } : {}),
      ...body,
    } as Event),
  );
  return view;
}
const prompt = (text: string): EventBody => ({
  type: 'user_message',
  text,
  uuid: `uuid of ${text}`,
  attachments: [],
  synthetic: false,
});
const say = (message: string, parent?: string) => ({
  ...({ type: 'message_chunk', text: 'x', message_id: message } as EventBody),
  ...(parent ? { parent } : {}),
});
const call = (id: string, status: ToolCall['tool_status']): EventBody => ({
  type: status === 'running' ? 'tool_call' : 'tool_update',
  tool_call_id: id,
  tool_name: 'Bash',
  tool_title: 'ls',
  tool_status: status,
  normalized: { kind: 'generic', generic: { name: 'Bash', input: {}, output: null } },
});
const state = (to: 'running' | 'idle'): EventBody => ({ type: 'session_state', state: to });
const returned = (text: string): EventBody => ({
  type: 'notice',
  kind: 'prompt_returned',
  text: '',
  data: { text, uuid: `uuid of ${text}`, images: [] },
});
const done = { type: 'complete', data: { cost_usd: null } } as unknown as EventBody;

/** What became of each prompt that was sent while a turn ran. */
const fates = (view: SessionView) =>
  view.rows.flatMap((row) => (row.kind === 'prompt' && row.queue ? [`${row.text}: ${row.queue.state}`] : []));

describe('a prompt that is sent while a turn runs', () => {
  const begun = [prompt('first'), state('running')];

  it('is queued, and the one that began the turn is not', () => {
    const view = viewOf(...begun, say('m1'), prompt('second'));
    expect(view.queue.waiting.map((one) => one.text)).toEqual(['second']);
    expect(fates(view)).toEqual(['second: queued']);
  });

  it('is delivered with the request that follows the tools', () => {
    const during = [...begun, say('m1'), call('t1', 'running'), prompt('second'), call('t1', 'complete')];
    expect(fates(viewOf(...during))).toEqual(['second: queued']);
    expect(fates(viewOf(...during, say('m2')))).toEqual(['second: delivered']);
    expect(fates(viewOf(...during, call('t2', 'running')))).toEqual(['second: delivered']);
  });

  it('waits for the next turn when it came during the last text', () => {
    const over = [...begun, say('m1'), prompt('second'), prompt('third'), say('m1'), done];
    expect(fates(viewOf(...over))).toEqual(['second: queued', 'third: queued']);
    expect(fates(viewOf(...over, state('running')))).toEqual(['second: delivered', 'third: delivered']);
  });

  it('is not taken for delivered by the reply to a request that was made before it', () => {
    const view = viewOf(...begun, prompt('second'), say('m1'), call('t1', 'running'), call('t1', 'error'));
    expect(fates(view)).toEqual(['second: queued']);
  });

  it('is not taken for delivered by what a subagent says', () => {
    const view = viewOf(...begun, say('m1'), call('t1', 'running'), prompt('second'), say('m9', 't1'));
    expect(fates(view)).toEqual(['second: queued']);
  });

  it('leaves the queue when it is withdrawn, alone', () => {
    const view = viewOf(...begun, say('m1'), prompt('second'), prompt('third'), returned('second'));
    expect(fates(view)).toEqual(['second: returned', 'third: queued']);
    expect(view.returned.map((one) => one.text)).toEqual(['second']);
  });

  it('stays when the turn is interrupted', () => {
    const view = viewOf(...begun, say('m1'), prompt('second'), done, state('idle'));
    expect(view.queue.waiting).toHaveLength(1);
  });

  it('is no longer waiting once the session has ended', () => {
    const end = { type: 'session_ended', data: { reason: 'exit' } } as unknown as EventBody;
    const view = viewOf(...begun, say('m1'), prompt('second'), end);
    expect([view.queue.waiting, fates(view)]).toEqual([[], ['second: returned']]);
  });
});

describe('the queue of a recorded session', () => {
  const recorded = import.meta.glob<string>('./fixtures/*.jsonl', { query: '?raw', import: 'default', eager: true });
  /** What became of the queued prompts, after each event that changed it. */
  function history(name: string): string[] {
    const view = emptyView();
    const told: string[] = [];
    for (const line of recorded[`./fixtures/${name}.jsonl`]?.split('\n') ?? []) {
      if (line === '') continue;
      const event = JSON.parse(line) as Event;
      apply(view, event);
      const now = fates(view).join(', ');
      if (now !== '' && now !== told.at(-1)?.replace(/ \(.*/, '')) told.push(`${now} (${event.type})`);
    }
    expect(view.queue.waiting).toEqual([]);
    return told;
  }

  it('is delivered when the CLI takes it', () => {
    expect(history('queued_during_tool')).toEqual([
      'also tell me the time: queued (user_message)',
      'also tell me the time: delivered (message_chunk)',
    ]);
    expect(history('queued_prompts')).toEqual([
      'second: queued (user_message)',
      'second: queued, third: queued (user_message)',
      'second: delivered, third: delivered (session_state)',
    ]);
  });

  it('outlives an interrupt', () => {
    expect(history('interrupt_leaves_queue')).toEqual([
      'queued: queued (user_message)',
      'queued: delivered (session_state)',
    ]);
  });
});

describe('the context of a session', () => {
  const window = (used: number): EventBody => ({
    type: 'context_window',
    context_window_size: 200_000,
    context_window_used: used,
    context_window_remaining: 200_000 - used,
    context_efficiency: used / 2000,
  });

  it('does not count what a subagent holds', () => {
    const view = viewOf(window(40_000), { ...window(150_000), parent: 't1' });
    expect(view.context?.context_window_used).toBe(40_000);
  });
});
