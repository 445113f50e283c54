import { describe, expect, it } from 'vitest';
import type { NormalizedPayload } from '../bindings/bindings';
import type { Row, ToolRow } from '../session/rows';
import { Pieces } from '../session/text';
import { documentOf } from '../shared/markdown/document';
import { entries } from '../shared/markdown/tree';
import { asMarkdown, closed, code, fenced, plain, quoted, rowsAsMarkdown } from './asMarkdown';
import { turnAround } from './copying';

/** The blocks of a text, as a reader of Markdown sees them. */
function blocksOf(text: string): { type: string; text: string }[] {
  return [...entries(documentOf(text).view(false))].map((block) => {
    if (block.type === 'code') return { type: 'code', text: [...entries(block.lines)].join('').replace(/\n$/, '') };
    return { type: block.type, text: 'text' in block ? block.text.trim() : '' };
  });
}

const base = { key: 'k', at: '2026-01-01T00:00:00.000Z', seq: 1 };

function pieces(text: string): Pieces {
  const all = new Pieces();
  all.push(text);
  return all;
}

const answer = (text: string): Row => ({
  ...base,
  kind: 'answer',
  message: 'm',
  text: pieces(text),
  streaming: false,
  rev: 0,
});
const prompt = (text: string): Row => ({
  ...base,
  kind: 'prompt',
  text,
  uuid: null,
  attachments: [],
  synthetic: false,
});
const tool = (normalized: NormalizedPayload, change: Partial<ToolRow> = {}, failed = false): ToolRow => ({
  ...base,
  kind: 'tool',
  call: {
    tool_call_id: 'c',
    tool_name: 'Tool',
    tool_title: 'It',
    tool_status: failed ? 'error' : 'complete',
    normalized,
  },
  record: null,
  waiting: false,
  children: [],
  dropped: 0,
  until: base.at,
  ...change,
});

/** One row of each kind, and a call of each kind, with that text wherever a text can be. */
function everyRow(text: string): Row[] {
  const calls: NormalizedPayload[] = [
    {
      kind: 'read_file',
      read_file: {
        file_path: text,
        offset: null,
        limit: null,
        output: { content: text, line_count: 1, truncated: false, language: text, image: null },
      },
    },
    {
      kind: 'modify_file',
      modify_file: {
        file_path: text,
        mutations: [
          { type: 'create', content: text, old_content: null, new_content: null, diff: null, start_line: null },
        ],
      },
    },
    {
      kind: 'shell_exec',
      shell_exec: {
        command: `${text}\n${text}`,
        work_dir: null,
        description: text,
        timeout: null,
        background: false,
        output: { exit_code: 1, stdout: text, stderr: text, interrupted: false, truncated: false },
      },
    },
    {
      kind: 'code_search',
      code_search: {
        query: text,
        pattern: text,
        path: text,
        glob: null,
        output: { files: [text], file_count: 1, truncated: false, content: text },
      },
    },
    {
      kind: 'http_request',
      http_request: { url: text, method: null, query: text, response: text, status: 200, is_error: false },
    },
    {
      kind: 'subagent_task',
      subagent_task: {
        description: text,
        prompt: text,
        subagent_type: text,
        status: null,
        agent_id: null,
        duration_ms: null,
        total_tokens: null,
        tool_use_count: null,
        output: text,
      },
    },
    { kind: 'create_task', create_task: { title: text, description: text, id: '1' } },
    {
      kind: 'manage_todos',
      manage_todos: {
        operation: 'write',
        items: [{ id: '1', description: text, status: 'completed', active_form: null }],
      },
    },
    { kind: 'show_plan', show_plan: { plan: text, file_path: null, approved: true, edited: null } },
    { kind: 'ask_user', ask_user: { questions: [{ question: text, options: [text] }], answers: { [text]: text } } },
    { kind: 'mcp_tool', mcp_tool: { server: text, tool: text, input: { text }, output: text } },
    { kind: 'misc', misc: { label: text, details: { input: { text }, output: text } } },
    { kind: 'generic', generic: { name: text, input: text, output: { text } } },
  ];
  return [
    prompt(text),
    answer(text),
    { ...base, kind: 'reasoning', message: 'm', text: pieces(text), streaming: false, rev: 0, until: base.at },
    ...calls.map((call) => tool(call)),
    ...calls.map((call) => tool(call, { children: [answer(text), tool(calls[0] as NormalizedPayload)] }, true)),
    { ...base, kind: 'notice', notice: 'n', text, data: null, heard: base.at, over: null },
    { ...base, kind: 'error', error: text, data: { code: 'x' } },
    {
      ...base,
      kind: 'turn',
      number: 3,
      data: {
        cost_usd: 0.12,
        total_cost_usd: 1,
        duration_ms: 90_000,
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
      files: 0,
      added: 0,
      removed: 0,
    },
    { ...base, kind: 'unrecognized', raw: text },
    { ...base, kind: 'ended', data: { exit_code: 1, signal: null, stderr_tail: text, expected: false } },
    { ...base, kind: 'try', tries: 2 },
  ];
}

const HOSTILE = [
  '```',
  '```rust\nfn main() {}',
  '````\n```\n`````\n~~~',
  '~~~\nopen',
  '- a\n  ```\n  in the item',
  '1. x\n\n   ~~~~\n   y',
  '> ```\n> quoted',
  '<!-- open',
  '<script>alert(1)',
  'text\n<pre>\nmore',
  '<![CDATA[ x',
  '<?php',
  '# head\n=====\n-----',
  '| a | b |\n|---|---|\n| `c | d |',
  '[link](javascript:alert(1)) ![x](data:image/png;base64,AAAA)',
  '`` ` `',
  '`'.repeat(50),
  '*a **b _c ~~d $e$ $$f',
  'line one\r\nline two\r```\r\nrest',
  '    indented\n\ttab',
  '\u202eright to left\u2066 \ud83d\ude80 日本',
  ' '.repeat(20),
  `${'x'.repeat(20_000)}\n`,
  '>'.repeat(400),
];

describe('a row as Markdown', () => {
  it.each(HOSTILE)('keeps what it holds within its own part: %j', (text) => {
    for (const row of everyRow(text)) {
      const made = asMarkdown(row, '/w');
      const all = blocksOf(`${made}\n\nSENTINEL *here*\n`);
      expect(all.at(-1), `${row.kind} as ${made.slice(0, 300)}`).toEqual({
        type: 'paragraph',
        text: 'SENTINEL *here*',
      });
    }
  });

  it.each(HOSTILE.filter((text) => text.trim() !== ''))('encloses a text as code that reads as it was: %j', (text) => {
    const [block, ...more] = blocksOf(fenced(text, 'rust'));
    expect(more).toEqual([]);
    expect(block).toEqual({ type: 'code', text: text.replace(/\r\n?/g, '\n').replace(/\n$/, '') });
  });

  it('says what a call did and what came of it', () => {
    const made = asMarkdown(
      tool(
        {
          kind: 'shell_exec',
          shell_exec: {
            command: 'cargo test',
            work_dir: null,
            description: null,
            timeout: null,
            background: false,
            output: { exit_code: 1, stdout: 'a `b`\n', stderr: '', interrupted: false, truncated: false },
          },
        },
        {},
        true,
      ),
      '/w',
    );
    expect(made).toBe('**Tool** (failed) `cargo test`\n\n```\na `b`\n```');
  });

  it('has the rows of a subagent in a quotation, between what it was asked and what it said', () => {
    const call = tool(
      {
        kind: 'subagent_task',
        subagent_task: {
          description: 'look',
          prompt: 'Look.',
          subagent_type: null,
          status: null,
          agent_id: null,
          duration_ms: null,
          total_tokens: null,
          tool_use_count: null,
          output: 'Seen.',
        },
      },
      { children: [answer('One\n\n```\ntwo')] },
    );
    expect(asMarkdown(call, '/w')).toBe('**Agent** look\n\n> Look.\n\n> One\n>\n> ```\n> two\n> ```\n\n> Seen.');
  });

  it('gives an answer as it was written', () => {
    const text = '# Head\n\n- one\n  - two\n\n```ts\nlet x;\n```\n\n| a |\n|---|\n| b |';
    expect(asMarkdown(answer(text), '/w')).toBe(text);
    expect(closed('a\n\n```ts\nlet x;')).toBe('a\n\n```ts\nlet x;\n```');
    expect(closed('a <!-- fine --> b')).toBe('a <!-- fine --> b');
    expect(closed('<!-- left\nopen')).toBe('\\<!-- left\nopen');
  });

  it('leaves plain words plain, and marks none of them up', () => {
    expect(plain('a *b* _c_ <d> [e](f)')).toBe('a \\*b\\* \\_c\\_ \\<d\\> \\[e\\](f)');
    expect(plain('1. one\n- two')).toBe('1\\. one\n\\- two');
    expect(code('a ` b')).toBe('``a ` b``');
    expect(code('`x`')).toBe('`` `x` ``');
    expect(quoted('a\n\nb')).toBe('> a\n>\n> b');
  });

  it('leaves out what holds nothing', () => {
    expect(rowsAsMarkdown([{ ...base, kind: 'void' }, prompt('a'), answer('')], '/w')).toBe('> a');
  });
});

describe('the turn around a row', () => {
  const end = () => ({ ...base, kind: 'turn' }) as Row;
  const queued = { ...prompt('q'), queue: { state: 'queued', at: base.at } } as Row;
  const rows = [
    prompt('1'),
    answer('a'),
    end(),
    answer('between'),
    prompt('2'),
    answer('b'),
    queued,
    end(),
    prompt('3'),
  ];
  const of = (at: number) => turnAround(rows, at).map((row) => rows.indexOf(row));

  it('goes from its prompt to its end', () => {
    expect(of(0)).toEqual([0, 1, 2]);
    expect(of(2)).toEqual([0, 1, 2]);
    expect(of(5)).toEqual([4, 5, 6, 7]);
    expect(of(7)).toEqual([4, 5, 6, 7]);
    expect(of(8)).toEqual([8]);
  });

  it('is what was said between two turns, where it stands there', () => {
    expect(of(3)).toEqual([3]);
  });
});
