import { createRawSnippet, flushSync, mount, unmount } from 'svelte';
import { afterEach, describe, expect, it } from 'vitest';
import type { NormalizedPayload, ToolCall, ToolStatus } from '../bindings/bindings';
import type { PermissionRecord } from '../session/rows';
import { sections } from './gallery/calls';
import type { Row } from './gallery/makers';
import { headOf } from './heads';
import { recordWords } from './record';
import { toolViews } from './registry';
import ToolRow from './ToolRow.svelte';

let shown: ReturnType<typeof mount>[] = [];
afterEach(() => {
  shown.forEach((c) => void unmount(c));
  shown = [];
  document.body.replaceChildren();
});

function row(call: ToolCall, props: Record<string, unknown> = {}): HTMLElement {
  const target = document.createElement('div');
  document.body.append(target);
  shown.push(
    mount(ToolRow, {
      target,
      props: { call, open: false, ontoggle: () => {}, waiting: false, record: null, workspace: '/w', ...props },
    }),
  );
  flushSync();
  return target.querySelector('[data-tool-call-id]') as HTMLElement;
}
const shell = (over: object, status: ToolStatus = 'complete'): ToolCall => ({
  tool_call_id: 't1',
  tool_name: 'Bash',
  tool_title: 'x',
  tool_status: status,
  normalized: {
    kind: 'shell_exec',
    shell_exec: {
      command: 'ls',
      work_dir: null,
      description: null,
      timeout: null,
      background: false,
      output: null,
      ...over,
    },
  },
});
const output = (stdout: string, exit_code: number | null = 0) => ({
  output: { exit_code, stdout, stderr: '', interrupted: false, truncated: false },
});
const line = (element: HTMLElement) => element.querySelector('.sum')?.textContent?.replace(/\s+/g, ' ').trim();
const record = (over: Partial<PermissionRecord>): PermissionRecord => ({
  asked_at: '2026-01-01T00:00:00Z',
  resolved_at: '2026-01-01T00:00:09Z',
  behavior: 'allow',
  by: 'user',
  cancelled: false,
  edited: false,
  ...over,
});

const everyRow = (rows: Row[]): Row[] => rows.flatMap((r) => [r, ...everyRow(r.nested ?? [])]);
const all = sections.flatMap((s) => everyRow(s.rows));

describe('a tool row', () => {
  it('says of itself which call it is', () => {
    const element = row(shell(output('ok')));
    expect(element.dataset).toMatchObject({ toolCallId: 't1', kind: 'shell_exec', status: 'complete' });
  });

  it('keeps what is folded out of the document', () => {
    expect(row(shell(output('hello there'))).textContent).not.toContain('hello there');
    expect(row(shell(output('hello there')), { open: true }).textContent).toContain('hello there');
  });

  it('tells its parent to fold', () => {
    let asked = 0;
    const element = row(shell(output('x')), { ontoggle: () => asked++ });
    element.querySelector<HTMLButtonElement>('button.sum')?.click();
    expect(asked).toBe(1);
    expect(element.querySelector('button.sum')?.getAttribute('aria-expanded')).toBe('false');
  });

  it('is no button where nothing unfolds', () => {
    const search = { query: null, pattern: 'x', path: null, glob: null, output: null };
    const call = { ...shell({}, 'running'), normalized: { kind: 'code_search', code_search: search } } as ToolCall;
    expect(row(call).querySelector('button')).toBeNull();
  });

  it.each([
    [
      shell({}, 'running'),
      {
        get at() {
          return new Date(Date.now() - 7_400).toISOString();
        },
      },
      'Bash ls running 0:07',
    ],
    [{ ...shell({}, 'running'), elapsed_seconds: 64 }, {}, 'Bash ls running 1:04'],
    [shell({}, 'running'), {}, 'Bash ls running'],
    [shell({}, 'running'), { waiting: true }, 'Bash ls waiting for you'],
    [
      shell(output('x', 100), 'error'),
      { at: '2026-01-01T00:00:00Z', until: '2026-01-01T00:00:12.4Z' },
      'Bash ls exit 100 12.4 s',
    ],
    [
      shell(output('nope', null), 'error'),
      { record: record({ behavior: 'deny', resolved_at: '2026-01-01T00:00:03Z' }) },
      'Bash ls denied by you, 3 s: nope',
    ],
    [shell(output('nope', null), 'error'), {}, 'Bash failed ls nope'],
    [shell({}, 'error'), { record: record({ cancelled: true, resolved_at: null }) }, 'Bash ls question withdrawn'],
    [
      shell(output('x')),
      { record: record({}), at: '2026-01-01T00:00:00Z', until: '2026-01-01T00:00:10Z' },
      'Bash ls allowed by you, 9 s 1 s',
    ],
    [shell({ background: true }), {}, 'Bash ls in the background'],
    [
      shell(output('The user denied this. Do not try it another way; ask what to do instead.', null), 'error'),
      { record: record({ behavior: 'deny' }) },
      'Bash ls denied by you, 9 s',
    ],
  ])('its line says the state: %#', (call, props, expected) =>
    expect(line(row(call as ToolCall, props))).toBe(expected),
  );

  it('of a state names it for who cannot see the icon', () => {
    const label = (element: HTMLElement) => element.querySelector('[role=img]')?.getAttribute('aria-label');
    expect(label(row(shell({}, 'running')))).toBe('running');
    expect(label(row(shell({}, 'running'), { waiting: true }))).toBe('waiting for you');
    expect(label(row(shell(output('x', null), 'error')))).toBe('failed');
    expect(label(row(shell(output('x'))))).toBeUndefined();
  });

  it('shows why a call failed', () => {
    const call: ToolCall = {
      tool_call_id: 'e',
      tool_name: 'Edit',
      tool_title: 'x',
      tool_status: 'error',
      normalized: {
        kind: 'modify_file',
        modify_file: { file_path: '/w/a.rs', mutations: [], error: 'String to replace not found in file.\nString: x' },
      },
    };
    expect(line(row(call))).toBe('Edit failed a.rs String to replace not found in file.');
    expect(row(call, { open: true }).querySelector('pre')?.textContent).toBe(
      'String to replace not found in file.\nString: x',
    );
  });

  it('draws the rows of a subagent under it', () => {
    const nested = createRawSnippet(() => ({ render: () => '<i>inner row</i>' }));
    const call: ToolCall = {
      tool_call_id: 'a',
      tool_name: 'Agent',
      tool_title: 'x',
      tool_status: 'running',
      normalized: {
        kind: 'subagent_task',
        subagent_task: {
          description: 'Find',
          prompt: null,
          subagent_type: null,
          status: null,
          agent_id: null,
          duration_ms: null,
          total_tokens: null,
          tool_use_count: null,
          output: null,
        },
      },
    };
    expect(row(call, { nested }).textContent).not.toContain('inner row');
    expect(row(call, { nested, open: true }).textContent).toContain('inner row');
  });
});

describe('every kind', () => {
  it('stands in the gallery', () => {
    expect([...new Set(all.map((r) => r.call.normalized.kind))].sort()).toEqual(Object.keys(toolViews).sort());
  });

  it.each(all.map((r) => [`${r.call.normalized.kind} ${r.call.tool_status} ${r.call.tool_call_id}`, r] as const))(
    'is drawn folded and open: %s',
    (_, r) => {
      for (const open of [false, true]) {
        const element = row(r.call, { open, record: r.record ?? null, waiting: r.waiting ?? false });
        expect(line(element)).not.toBe('');
        expect(element.textContent).not.toMatch(/undefined|\[object|NaN/);
      }
    },
  );

  it.each(Object.keys(toolViews))('bears empty detail while it runs and when it failed: %s', (kind) => {
    const empty: Record<string, object> = {
      read_file: { file_path: '', offset: null, limit: null, output: null },
      modify_file: { file_path: '', mutations: [] },
      shell_exec: { command: null, work_dir: null, description: null, timeout: null, background: false, output: null },
      code_search: { query: null, pattern: null, path: null, glob: null, output: null },
      http_request: { url: null, method: null, query: null, response: null, status: null, is_error: false },
      subagent_task: {
        description: null,
        prompt: null,
        subagent_type: null,
        status: null,
        agent_id: null,
        duration_ms: null,
        total_tokens: null,
        tool_use_count: null,
        output: null,
      },
      create_task: { title: null, description: null, id: null },
      manage_todos: { operation: 'list', items: [] },
      show_plan: { plan: null, file_path: null, approved: null, edited: null },
      ask_user: { questions: [], answers: {} },
      mcp_tool: { server: 's', tool: 't', input: null, output: null },
      misc: { label: 'l', details: null },
      generic: { name: 'n', input: null, output: null },
    };
    const normalized = { kind, [kind]: empty[kind] } as unknown as NormalizedPayload;
    for (const tool_status of ['running', 'complete', 'error'] as const) {
      const call: ToolCall = { tool_call_id: 'x', tool_name: 'Tool', tool_title: 'x', tool_status, normalized };
      expect(row(call, { open: true }).textContent).not.toMatch(/undefined|null|\[object|NaN/);
    }
  });

  it.each([
    ['# Plan\n\n1. Write it\n', '1. Write it'],
    ['## Mend the `tides`\n', 'Mend the tides'],
    ['\n# Plan\n', ''],
    [null, ''],
  ])('names the plan %j once', (plan, arg) => {
    const normalized: NormalizedPayload = {
      kind: 'show_plan',
      show_plan: { plan, file_path: null, approved: null, edited: null },
    };
    const call: ToolCall = {
      tool_call_id: 'x',
      tool_name: 'ExitPlanMode',
      tool_title: 'x',
      tool_status: 'running',
      normalized,
    };
    expect(headOf(call, '/w')).toMatchObject({ verb: 'Plan', arg });
  });

  it('of 10 MB draws only its beginning', () => {
    const element = row(shell(output(`${'='.repeat(79)}\n`.repeat(125_000))), { open: true });
    expect(element.querySelectorAll('*').length).toBeLessThan(100);
    expect(element.textContent).toContain('12 of 125\u202f000 lines, 10.0 MB');
    expect(element.textContent?.length).toBeLessThan(3000);
  });

  it('of one line of 10 MB draws only its beginning', () => {
    const element = row(shell(output('x'.repeat(10_000_000))), { open: true });
    expect(element.textContent?.length).toBeLessThan(11_000);
  });
});

it('paths in the workspace are shown without it', () => {
  const call: ToolCall = {
    tool_call_id: 'r',
    tool_name: 'Read',
    tool_title: 'x',
    tool_status: 'complete',
    normalized: { kind: 'read_file', read_file: { file_path: '/w/src/a.rs', offset: null, limit: null, output: null } },
  };
  expect(headOf(call, '/w').arg).toBe('src/a.rs');
  expect(headOf(call, '/wx').arg).toBe('/w/src/a.rs');
});

it.each([
  [record({}), 'allowed by you, 9 s'],
  [record({ edited: true }), 'changed and allowed by you, 9 s'],
  [record({ by: 'policy' }), 'allowed by the policy'],
  [record({ behavior: 'deny', by: 'timeout' }), 'denied without an answer, 9 s'],
  [record({ by: 'session_end', behavior: 'deny' }), 'closed with the session'],
  [record({ cancelled: true }), 'question withdrawn'],
  [record({ resolved_at: null, behavior: null, by: null }), null],
])('a record in words: %#', (given, expected) => expect(recordWords(given)).toBe(expected));

describe('what was asked, in whole', () => {
  const changed = {
    input: { command: 'rm -r a', timeout: 5 },
    updated_input: { command: 'rm a', timeout: 5 },
    edited: true,
  };

  it('says what was changed before it was allowed', () => {
    const element = row(shell(output('ok')), { open: true, record: record(changed) });
    expect(line(element)).toContain('changed and allowed by you');
    expect(line(element)).toContain('rm a');
    expect(line(element), 'what runs is what was allowed').not.toContain('rm -r a');
    expect(element.textContent?.replace(/\s+/g, ' ')).toMatch(/Changed command: rm -r a to rm a/);
    expect(element.textContent).not.toContain('timeout');
  });

  it('shows a long change as a diff', () => {
    const text = Array.from({ length: 30 }, (_, i) => `line ${i}`).join('\n');
    const record_ = record({ input: { content: text }, updated_input: { content: text.replace('line 9', 'other') } });
    const element = row(shell(output('ok')), { open: true, record: record_ });
    expect(element.querySelector('.record .diff')?.textContent).toContain('other');
    expect(element.querySelector('.record .diff')?.textContent).not.toContain('line 25');
  });

  it('names the suggestions that were taken with it', () => {
    const rule = { type: 'addRules', rules: [{ toolName: 'Bash', ruleContent: 'npm test' }], behavior: 'allow' };
    const element = row(shell(output('ok')), { open: true, record: record({ permissions: [rule] }) });
    expect(element.textContent).toContain('Always allow npm test');
  });

  it('says what a denial said, where the call does not', () => {
    const denied = record({ behavior: 'deny', interrupt: true, message: 'not now' });
    expect(row(shell(output('x', null), 'error'), { open: true, record: denied }).textContent).toContain(
      'Said not now',
    );
    expect(line(row(shell({}, 'error'), { record: denied }))).toBe('Bash ls denied and stopped by you, 9 s');
  });

  it.each([
    [{ waiting: true, record: record({ resolved_at: null, behavior: null, by: null }) }, 'pending', 'waiting for you'],
    [{ record: record({ behavior: 'deny' }) }, 'denied', 'denied'],
    [{ record: record({ cancelled: true, behavior: null, by: null }) }, 'withdrawn', 'withdrawn'],
  ])('tells pending, denied and withdrawn apart: %#', (props, state, label) => {
    const element = row(shell({}, state === 'withdrawn' ? 'error' : 'running'), props);
    expect(element.dataset.permission).toBe(state);
    expect(element.querySelector('[role=img]')?.getAttribute('aria-label')).toBe(label);
  });
});
