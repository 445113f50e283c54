import { describe, expect, it } from 'vitest';
import { apply, emptyView } from '../session/view';
import type { ToolRow } from '../session/rows';
import { taskOf } from '../session/tasks';
import { summaryOf, tellsWhatItWasAsked } from './subagent';
import { asks, Journal, reads } from './testing';

function summary(write: (journal: Journal) => void) {
  const journal = new Journal();
  const view = emptyView();
  write(journal);
  for (const event of journal.events) apply(view, event);
  const row = view.rows[0] as ToolRow;
  return summaryOf(row, 2, taskOf(view.tasks, row.call.tool_call_id) ?? null);
}

const begun = { type: 'task_started', task_id: 'k', tool_use_id: 'a', description: 'Look' } as const;

describe('the end of a subagent', () => {
  it('says that it works, and counts what it did so far', () => {
    const made = summary((j) => {
      j.call('a', asks('look'), 'running');
      j.say(begun);
      j.call('r', reads('/w/r'), 'complete', 'a');
      j.text('m', 'So.', 'a');
      j.say({ type: 'task_progress', task_id: 'k', usage: { total_tokens: 1200, tool_uses: 5, duration_ms: 900 } });
    });
    expect(made).toMatchObject({ state: 'running', rows: 2, tools: 5, tokens: 1200, ms: null });
  });

  it('says how it went with the words of its result', () => {
    const done = asks('look');
    if (done.kind === 'subagent_task')
      Object.assign(done.subagent_task, { tool_use_count: 7, total_tokens: 10, duration_ms: 3000, output: 'Seen.' });
    const made = summary((j) => {
      j.call('a', asks('look'), 'running');
      j.call('a', done, 'complete');
    });
    expect(made).toEqual({ state: 'done', rows: 0, tools: 7, tokens: 10, ms: 3000, output: 'Seen.' });
    expect(
      summary((j) => {
        j.call('a', done, 'running');
        j.call('a', done, 'error');
      }),
    ).toMatchObject({ state: 'failed', output: null });
  });

  it('goes on behind the end of its call while it works in the background', () => {
    const launched = asks('look');
    if (launched.kind === 'subagent_task') launched.subagent_task.status = 'async_launched';
    const write = (j: Journal) => {
      j.call('a', asks('look'), 'running');
      j.say({ ...begun, is_backgrounded: true });
      j.call('a', launched, 'complete');
    };
    expect(summary(write).state).toBe('running');
    expect(
      summary((j) => {
        write(j);
        j.say({ type: 'task_notification', task_id: 'k', tool_use_id: 'a', status: 'stopped' });
      }).state,
    ).toBe('stopped');
  });

  it.each([
    [
      'the words that it said last',
      'Seen.',
      [
        ['m', 'Se'],
        ['m', 'en.\n'],
      ],
      null,
    ],
    ['other words', 'Seen, all.', [['m', 'Seen.']], 'Seen, all.'],
    [
      'words that it said before others',
      'Seen.',
      [
        ['m', 'Seen.'],
        ['n', 'And more.'],
      ],
      'Seen.',
    ],
  ])('says its result once: %s', (_, output, said, shown) => {
    const done = asks('look');
    if (done.kind === 'subagent_task') done.subagent_task.output = output;
    const made = summary((j) => {
      j.call('a', asks('look'), 'running');
      for (const [id, text] of said) j.text(id as string, text as string, 'a');
      j.call('a', done, 'complete');
    });
    expect(made.output).toBe(shown);
  });
});

describe('what a subagent was asked', () => {
  const told = (write: (journal: Journal) => void) => {
    const journal = new Journal();
    const view = emptyView();
    journal.call('a', asks('look'), 'running');
    write(journal);
    for (const event of journal.events) apply(view, event);
    return tellsWhatItWasAsked(view.rows[0] as ToolRow);
  };
  const says = (text: string) => (j: Journal) =>
    j.say({ type: 'user_message', text, uuid: null, attachments: [], synthetic: false }, 'a');

  it('is said by its call where its rows do not begin with the same words', () => {
    expect(told(() => undefined)).toBe(false);
    expect(told(says('look\n'))).toBe(true);
    expect(told(says('look again'))).toBe(false);
    expect(told((j) => (j.text('m', 'So.', 'a'), says('look')(j)))).toBe(false);
  });
});
