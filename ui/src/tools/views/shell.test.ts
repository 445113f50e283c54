import { flushSync, mount, unmount } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { OutputSource } from '../../backend/outputs';
import type { ShellExec, ToolCall, ToolStatus } from '../../bindings/bindings';
import type { Task } from '../../session/tasks';
import ShellRow from '../testing/ShellRow.svelte';

let shown: ReturnType<typeof mount> | null = null;
let named = 0;
beforeEach(() => (named += 1));
afterEach(() => {
  if (shown) void unmount(shown);
  document.body.replaceChildren();
});

const shell = (over: Partial<ShellExec>, name = 'Bash', status: ToolStatus = 'complete'): ToolCall => ({
  tool_call_id: 't1',
  tool_name: name,
  tool_title: 'x',
  tool_status: status,
  normalized: {
    kind: 'shell_exec',
    shell_exec: {
      command: 'npm run dev',
      work_dir: null,
      description: null,
      timeout: null,
      background: false,
      output: null,
      ...over,
    },
  },
});
const out = (stdout: string, over: object = {}) => ({
  exit_code: null,
  stdout,
  stderr: '',
  interrupted: false,
  truncated: false,
  ...over,
});
const task = (over: Partial<Task> = {}): Map<string, Task> =>
  new Map([
    [
      'b1',
      {
        key: 'b1',
        task_id: 'b1',
        description: 'npm run dev',
        doing: null,
        started_at: new Date(Date.now() - 131_000).toISOString(),
        changed_at: new Date().toISOString(),
        over: false,
        ...over,
      },
    ],
  ]);

function draw(props: {
  call: ToolCall;
  tasks?: Map<string, Task>;
  printed?: (source: OutputSource) => string;
  onstop?: (id: string) => void;
}): HTMLElement {
  shown = mount(ShellRow, { target: document.body, props: { ...props, of: `row ${named}` } });
  flushSync();
  return document.querySelector('[data-tool-call-id]') as HTMLElement;
}
const words = (row: Element | null) => row?.textContent?.replace(/\s+/g, ' ').trim() ?? '';
const line = (row: HTMLElement) => words(row.querySelector('.sum'));
const button = (row: HTMLElement, name: string) =>
  [...row.querySelectorAll('button')].find((b) => b.textContent?.trim() === name);
const until = (check: () => void) =>
  vi.waitFor(() => {
    flushSync();
    check();
  });

describe('a command in the background', () => {
  const call = shell({ background: true, task_id: 'b1', output: out('', { note: 'Running in the background (b1).' }) });

  it('says how long it runs, shows what it prints, and is stopped in its row', async () => {
    const stopped: string[] = [];
    const printed = (source: OutputSource) => (source.kind === 'task' ? `GET /\nof ${source.task_id}\n` : 'wrong');
    const row = draw({ call, tasks: task(), printed, onstop: (id) => stopped.push(id) });
    expect(line(row)).toMatch(/npm run dev in the background ?running 2 min 1\d s/);
    await until(() => expect(words(row)).toContain('of b1'));
    button(row, 'Stop')?.click();
    expect(stopped).toEqual(['b1']);
  });

  it('that is over says what came of it, and reads its output only when somebody asks', async () => {
    const asked: OutputSource[] = [];
    const printed = (source: OutputSource) => (asked.push(source), 'the end\n');
    const row = draw({ call, tasks: task({ over: true, status: 'failed' }), printed });
    expect(line(row)).toMatch(/in the background ?failed/);
    expect(words(row)).toMatch(/Task b1, failed after 2 min 1\d s/);
    expect([asked, button(row, 'Stop')]).toEqual([[], undefined]);
    button(row, 'Output')?.click();
    await until(() => expect(words(row)).toContain('the end'));
  });

  it('of which nothing more is known says what the CLI said', () =>
    expect(words(draw({ call }))).toContain('Running in the background (b1).'));

  it('that timed out says after how long', () => {
    const timed = shell({ background: true, task_id: 'b1', output: out('start\n', { timed_out_ms: 120_000 }) });
    const row = draw({ call: timed, tasks: task() });
    expect(line(row)).toMatch(/timed out after 2 min ?in the background/);
    expect(words(row)).toContain('start');
  });
});

describe('a command that the turn waits for', () => {
  const waitedFor = (over: Partial<Task>) => task({ tool_use_id: 'x', is_backgrounded: false, ...over });

  it('that ran long enough to be a task says what came of it once', () => {
    const call = { ...shell({ output: out('no\n', { exit_code: 3 }) }), tool_call_id: 'x' };
    const row = draw({ call, tasks: waitedFor({ over: true, status: 'failed' }) });
    expect(words(row)).toContain('no');
    expect(row.querySelector('[data-task-id]')).toBeNull();
    expect(words(row)).not.toContain('Task b1');
  });

  it('shows what it prints while it runs', async () => {
    const call = { ...shell({}, 'Bash', 'running'), tool_call_id: 'x' };
    const row = draw({ call, tasks: waitedFor({}), printed: () => 'so far\n' });
    await until(() => expect(words(row)).toContain('so far'));
  });
});

describe('a row about a background shell', () => {
  it.each([
    ['BashOutput', 'Shell output'],
    ['KillShell', 'Stop shell'],
  ])('%s names the shell and what it runs', (name, verb) => {
    const call = shell(
      { command: null, description: 'x', background: true, task_id: 'b1', output: out('done\n') },
      name,
    );
    const row = draw({ call, tasks: task() });
    expect(line(row)).toMatch(new RegExp(`^${verb} b1 ?npm run dev ?running 2 min`));
    expect(words(row.querySelector('.body'))).toBe('done');
  });

  it('says how the shell ended', () => {
    const call = shell(
      { command: null, background: true, task_id: 'b7', output: out('', { exit_code: 2, note: 'failed' }) },
      'BashOutput',
    );
    expect(line(draw({ call }))).toBe('Shell output b7 exit 2');
  });
});

describe('a command in the turn', () => {
  it('shows what it prints while it runs, once it is a task that can be read', async () => {
    const running = shell({ command: 'cargo test' }, 'Bash', 'running');
    const tasks = task({ tool_use_id: 't1', is_backgrounded: false });
    const row = draw({ call: running, tasks, printed: () => 'running 61 tests\n' });
    await until(() => expect(words(row)).toContain('running 61 tests'));
  });

  it('that runs and has not been heard of says so', () =>
    expect(words(draw({ call: shell({}, 'Bash', 'running') }))).toContain('No output so far.'));

  it.each([
    [out(''), 'No output.'],
    [out('', { interrupted: true }), 'Interrupted before it printed anything.'],
    [out('', { note: 'No matches found' }), 'No matches found'],
  ])('without a word of output says why: %#', (output, says) =>
    expect(words(draw({ call: shell({ output }) }))).toContain(says),
  );

  it('whose output the CLI cut is read whole from the file that it kept', async () => {
    const cut = shell({ output: out('head\n', { truncated: true, full_output_path: '/tmp/results/b5.txt' }) });
    const printed = (source: OutputSource) => (source.kind === 'stored' ? 'head\nmiddle\nend\n' : 'wrong');
    const row = draw({ call: cut, printed });
    await until(() => expect(words(row)).toContain('middleend'));
    expect(words(row)).toContain('from b5.txt');
  });

  it('whose file is gone shows what the CLI kept of it, and says so', async () => {
    const cut = shell({ output: out('head\n', { truncated: true, full_output_path: '/tmp/results/b5.txt' }) });
    const printed = (source: OutputSource) => {
      if (source.kind === 'stored') throw { code: 'not_found', message: 'no such file' };
      return 'wrong';
    };
    const row = draw({ call: cut, printed });
    await until(() => expect(words(row)).toContain('cut by the CLI; the file with the rest could not be read'));
    expect(words(row)).toContain('head');
  });

  it('of which this page holds a part is asked for by ranges', async () => {
    const call = {
      ...shell({ output: out('a\nz\n') }),
      slimmed: [{ field: 'stdout', bytes: 9_000_000, lines: 90_001 }],
    };
    const asked: OutputSource[] = [];
    const printed = (source: OutputSource) => (asked.push(source), 'line\n'.repeat(90_000));
    const row = draw({ call, printed });
    await until(() => expect(words(row)).toContain('12 of 90 000 lines, 9.0 MB'));
    expect(asked[0]).toEqual({ kind: 'call', tool_call_id: 't1', stream: 'stdout' });
    expect(row.querySelectorAll('*').length).toBeLessThan(150);
  });
});
