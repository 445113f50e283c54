import { describe, expect, it } from 'vitest';
import type { Event, TaskFields } from '../bindings/bindings';
import {
  endAll,
  follow,
  followNotice,
  hasFailed,
  hasOutput,
  isForeground,
  kindOf,
  runningSummary,
  type Task,
} from './tasks';

type Told = TaskFields & { type: 'task_started' | 'task_progress' | 'task_notification' };
function told(...events: Told[]): Map<string, Task> {
  const tasks = new Map<string, Task>();
  events.forEach((event, i) =>
    follow(tasks, { seq: i + 1, at: `2026-11-30T04:00:0${i}.000Z`, ...event } as Event & TaskFields),
  );
  return tasks;
}
const start = (change: TaskFields = {}): Told => ({
  type: 'task_started',
  task_id: 'k',
  run_id: 'r1',
  description: 'Count functions',
  task_type: 'local_agent',
  is_backgrounded: true,
  ...change,
});
const progress = (change: TaskFields): Told => ({ type: 'task_progress', task_id: 'k', run_id: 'r1', ...change });
const end = (change: TaskFields): Told => ({ type: 'task_notification', task_id: 'k', run_id: 'r1', ...change });

describe('a task', () => {
  it('keeps its name while it tells what it does', () => {
    const task = told(start(), progress({ description: 'Reading src/lib.rs', last_tool_name: 'Read' })).get('k');
    expect(task).toMatchObject({ description: 'Count functions', doing: 'Reading src/lib.rs', over: false });
  });

  it('is over by its status or its notification, whichever comes first', () => {
    expect(told(start(), progress({ status: 'killed' })).get('k')?.over).toBe(true);
    expect(told(start(), end({ status: 'completed' })).get('k')?.over).toBe(true);
    expect(told(start(), progress({ status: 'running' })).get('k')?.over).toBe(false);
  });

  it('does not begin again by what comes late, nor does its end move', () => {
    const tasks = told(
      start(),
      progress({ status: 'completed' }),
      progress({ description: 'Reading', last_tool_name: 'Read' }),
      end({ status: 'stopped', summary: 'There are 3.', usage: { total_tokens: 9 } }),
      start(),
    );
    expect(tasks.get('k')).toMatchObject({
      over: true,
      status: 'completed',
      summary: 'There are 3.',
      usage: { total_tokens: 9 },
      doing: null,
      changed_at: '2026-11-30T04:00:01.000Z',
    });
  });

  it('that is no activity is listed and does not count', () => {
    const tasks = told(start({ ambient: true }), progress({ description: 'Watching' }));
    expect(tasks.get('k')).toMatchObject({ ambient: true, over: false });
    expect(runningSummary(tasks)).toBeNull();
  });

  it('begins and ends by what is told in words, where no message of its own says it', () => {
    const tasks = new Map<string, Task>();
    const notice = (kind: string, data: TaskFields, at: string) =>
      followNotice(tasks, { type: 'notice', seq: 1, at, kind, text: '', data });
    notice('background_tasks_changed', { task_id: 'k', description: 'Count', is_backgrounded: true }, 'a');
    expect(tasks.get('k')).toMatchObject({ description: 'Count', over: false, started_at: 'a' });
    notice('task_updated', { task_id: 'k', status: undefined }, 'b');
    expect(tasks.get('k')?.over).toBe(false);
    notice('task_updated', { task_id: 'k', status: 'stopped' }, 'c');
    expect(tasks.get('k')).toMatchObject({ description: 'Count', status: 'stopped', over: true, changed_at: 'c' });
  });

  it('begins again in another run', () => {
    const task = told(start(), end({ status: 'completed', summary: 'done' }), start({ run_id: 'r2' })).get('k');
    expect(task).toMatchObject({ over: false, run_id: 'r2', started_at: '2026-11-30T04:00:02.000Z' });
    expect(task?.summary).toBeUndefined();
  });

  it('ends with the process', () => {
    const tasks = told(start());
    endAll(tasks, '2026-11-30T05:00:00.000Z');
    expect(tasks.get('k')).toMatchObject({ over: true, status: 'ended with the session' });
    expect([...tasks.values()].some(hasFailed)).toBe(false);
  });

  it('says whether it can be moved to the background and whether its output can be read', () => {
    const shell = told(start({ task_type: 'local_bash', is_backgrounded: false })).get('k') as Task;
    const agent = told(start()).get('k') as Task;
    expect([isForeground(shell), hasOutput(shell), kindOf(shell)]).toEqual([true, true, 'Bash']);
    expect([isForeground(agent), hasOutput(agent), kindOf(agent)]).toEqual([false, false, 'Agent']);
  });
});

describe('what runs', () => {
  it('is told by count, the oldest start and the tokens', () => {
    const tasks = told(
      start({ task_id: 'a' }),
      start({ task_id: 'b' }),
      start({ task_id: 'c' }),
      progress({ task_id: 'b', usage: { total_tokens: 1200 } }),
      end({ task_id: 'a', status: 'completed', usage: { total_tokens: 50 } }),
    );
    expect(runningSummary(tasks)).toEqual({ count: 2, since: '2026-11-30T04:00:01.000Z', tokens: 1200 });
    expect(runningSummary(new Map())).toBeNull();
  });
});
