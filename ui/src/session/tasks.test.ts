import { describe, expect, it } from 'vitest';
import type { Event, TaskFields, ToolCall } from '../bindings/bindings';
import { randomFrom } from '../shared/testing/texts';
import {
  endAll,
  endCall,
  follow,
  followNotice,
  hasFailed,
  hasOutput,
  isForeground,
  kindOf,
  ordered,
  runningSummary,
  stateOf,
  taskOf,
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

  it('does not begin again by what comes late of an earlier run', () => {
    const before = [start(), end({ status: 'completed' }), start({ run_id: 'r2' })];
    expect(told(...before, end({ status: 'failed' })).get('k')).toMatchObject({ over: false, run_id: 'r2' });
    expect(told(...before, progress({ status: 'killed' })).get('k')?.over).toBe(false);
    const late = told(...before, end({ status: 'completed', run_id: 'r2' }), start(), start({ run_id: 'r2' }));
    expect(late.get('k')).toMatchObject({ over: true, run_id: 'r2' });
  });

  it('that is over stays over whatever is told of that run', () => {
    const random = randomFrom(9);
    const kinds = ['task_started', 'task_progress', 'task_notification'] as const;
    const states = [undefined, 'running', 'completed', 'failed', 'killed', 'stopped', 'pending'];
    for (let n = 0; n < 500; n++) {
      const any = (): Told => ({
        type: kinds[random(3)] ?? 'task_progress',
        task_id: 'k',
        run_id: random(4) === 0 ? undefined : 'r1',
        status: states[random(states.length)],
        description: 'late',
      });
      const status = ['completed', 'failed', 'stopped'][random(3)];
      const task = told(start(), end({ status }), ...Array.from({ length: random(8) }, any)).get('k');
      expect(task).toMatchObject({ over: true, status, changed_at: '2026-11-30T04:00:01.000Z' });
      expect(runningSummary(new Map(task ? [['k', task]] : []))).toBeNull();
    }
  });

  it('that the turn waited for ends with its call, and one that was moved away does not', () => {
    const call = (normalized: object, tool_status = 'complete') =>
      ({ tool_call_id: 't1', tool_name: 'Bash', tool_title: 'x', tool_status, normalized }) as ToolCall;
    const shell = (over: object) => ({ kind: 'shell_exec', shell_exec: { background: false, output: null, ...over } });
    const after = (done: ToolCall) => {
      const tasks = told(start({ task_type: 'local_bash', is_backgrounded: false, tool_use_id: 't1' }));
      endCall(tasks, new Map([['t1', 'k']]), done, 'z');
      return tasks.get('k');
    };
    expect(after(call(shell({}), 'running'))?.over).toBe(false);
    expect(after(call(shell({})))).toMatchObject({ over: true, status: 'completed', changed_at: 'z' });
    expect(after(call(shell({}), 'error'))).toMatchObject({ over: true, status: 'failed' });
    expect(after(call(shell({ task_id: 'k', background: true })))?.over).toBe(false);
  });

  it('is found by the call that began it, the newest where that call is begun again', () => {
    const tasks = told(start({ task_id: 'a', tool_use_id: 't1' }), start({ task_id: 'b', tool_use_id: 't1' }));
    expect([taskOf(tasks, 't1')?.key, taskOf(tasks, 't2')]).toEqual(['b', undefined]);
  });

  it('is listed by whether it runs, and by when it was over', () => {
    const tasks = told(
      start({ task_id: 'a' }),
      start({ task_id: 'b' }),
      start({ task_id: 'c' }),
      start({ task_id: 'd' }),
      end({ task_id: 'c', status: 'completed' }),
      end({ task_id: 'a', status: 'killed' }),
    );
    const { running, over } = ordered(tasks);
    expect([running.map((one) => one.key), over.map((one) => [one.key, stateOf(one)])]).toEqual([
      ['d', 'b'],
      [
        ['a', 'stopped'],
        ['c', 'done'],
      ],
    ]);
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

  it('in the turn itself is the turn, and no task beside it', () => {
    expect(runningSummary(told(start({ is_backgrounded: false })))).toBeNull();
  });
});
