// Details that no recording has: as little as there can be of each kind, and far too much.
import type { NormalizedPayload } from '../../bindings/bindings';
import type { Kind } from '../detail';
import { modify, read, search, shell, output } from './makers';

export const empties: { [K in Kind]: Extract<NormalizedPayload, { kind: K }> } = {
  read_file: {
    kind: 'read_file',
    read_file: {
      file_path: '/w/empty.txt',
      offset: null,
      limit: null,
      output: { content: '', line_count: 0, truncated: false, language: null, image: null },
    },
  },
  modify_file: { kind: 'modify_file', modify_file: { file_path: '/w/same.txt', mutations: [] } },
  shell_exec: {
    kind: 'shell_exec',
    shell_exec: {
      command: 'true',
      work_dir: null,
      description: null,
      timeout: null,
      background: false,
      output: output(''),
    },
  },
  code_search: {
    kind: 'code_search',
    code_search: {
      query: null,
      pattern: 'nothing like it',
      path: null,
      glob: null,
      output: { files: [], file_count: 0, truncated: false, content: null },
    },
  },
  http_request: {
    kind: 'http_request',
    http_request: { url: 'https://a.example/', method: 'GET', query: null, response: '', status: 204, is_error: false },
  },
  subagent_task: {
    kind: 'subagent_task',
    subagent_task: {
      description: null,
      prompt: null,
      subagent_type: null,
      status: 'completed',
      agent_id: null,
      duration_ms: null,
      total_tokens: null,
      tool_use_count: 0,
      output: null,
    },
  },
  create_task: { kind: 'create_task', create_task: { title: null, description: null, id: null } },
  manage_todos: { kind: 'manage_todos', manage_todos: { operation: 'list', items: [] } },
  show_plan: {
    kind: 'show_plan',
    show_plan: {
      plan: null,
      file_path: '/home/dev/.claude/plans/none.md',
      approved: true,
      edited: false,
      plan_missing: true,
    },
  },
  ask_user: { kind: 'ask_user', ask_user: { questions: [], answers: {} } },
  mcp_tool: { kind: 'mcp_tool', mcp_tool: { server: 'lab', tool: 'nothing', input: {}, output: [] } },
  misc: { kind: 'misc', misc: { label: 'Skill', details: { input: {}, output: null } } },
  generic: { kind: 'generic', generic: { name: 'Nothing', input: {}, output: null } },
};

const lines = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join('\n');
const words = lines(4000, (at) => `Line ${at + 1} of a text that goes on and on, with \`code\` and **weight**.\n`);
const keys = Object.fromEntries(
  Array.from({ length: 10_000 }, (_, at) => [
    `key_${at}`,
    at % 7 === 0 ? null : at % 5 === 0 ? { deep: { er: [at, `${at}`] } } : `value ${at}`,
  ]),
);
const todos = Array.from({ length: 1500 }, (_, at) => ({
  id: String(at + 1),
  description: `Todo number ${at + 1}${at % 9 === 0 ? `, ${'which says at great length what it is about '.repeat(6)}` : ''}`,
  status: at < 600 ? 'completed' : at === 600 ? 'in_progress' : 'pending',
  active_form: null,
}));

type Made = { tool: string; payload: NormalizedPayload };

export const huges: { [K in Kind]: Made[] } = {
  read_file: [
    {
      tool: 'Read',
      payload: read('src/long.rs', {
        offset: 99_000,
        output: {
          content: lines(30_000, (at) => `    let line_${at} = ${at};`),
          line_count: 30_000,
          truncated: true,
          language: 'rust',
          image: null,
        },
      }),
    },
  ],
  modify_file: [
    {
      tool: 'Write',
      payload: modify('src/long.rs', `@@ -0,0 +1,20000 @@\n${lines(20_000, (at) => `+let line_${at} = ${at};`)}\n`),
    },
  ],
  shell_exec: [
    {
      tool: 'Bash',
      payload: shell('seq 125000', {
        output: {
          ...output(lines(125_000, (at) => `${at + 1} ${'='.repeat(70)}`)),
          truncated: true,
          full_output_path: '/tmp/out.txt',
        },
      }),
    },
  ],
  code_search: [
    {
      tool: 'Grep',
      payload: search(
        'line',
        [],
        lines(
          8000,
          (at) =>
            `src/a/rather/long/path/of/folders/file_${at % 90}.rs:${at + 1}:    let line_${at} = "${'x'.repeat(at % 200)}";`,
        ),
      ),
    },
    {
      tool: 'Glob',
      payload: search(
        '**/*.rs',
        Array.from({ length: 5000 }, (_, at) => `src/folder_${at % 40}/file_${at}.rs`),
        null,
      ),
    },
  ],
  http_request: [
    {
      tool: 'WebFetch',
      payload: {
        kind: 'http_request',
        http_request: {
          url: `https://a.example/${'a/very/long/address/'.repeat(20)}`,
          method: 'GET',
          query: 'Tell me all of it.',
          response: words,
          status: 200,
          is_error: false,
        },
      },
    },
    {
      tool: 'WebSearch',
      payload: {
        kind: 'http_request',
        http_request: {
          url: null,
          method: null,
          query: 'everything',
          response: lines(
            500,
            (at) => `- [Hit number ${at + 1}, ${'with a long title '.repeat(8)}](https://www.site-${at}.example/page)`,
          ),
          status: null,
          is_error: false,
        },
      },
    },
  ],
  subagent_task: [
    {
      tool: 'Agent',
      payload: {
        kind: 'subagent_task',
        subagent_task: {
          description: 'Read the whole world and say what is in it, however long that takes and whatever it costs',
          prompt: words,
          subagent_type: 'Explore',
          status: 'completed',
          agent_id: 'a',
          duration_ms: 7_200_000,
          total_tokens: 12_400_000,
          tool_use_count: 4200,
          output: words,
        },
      },
    },
  ],
  create_task: [
    {
      tool: 'TaskCreate',
      payload: {
        kind: 'create_task',
        create_task: { title: 'A todo whose title goes on '.repeat(20), description: words, id: '9' },
      },
    },
  ],
  manage_todos: [
    { tool: 'TodoWrite', payload: { kind: 'manage_todos', manage_todos: { operation: 'write', items: todos } } },
  ],
  show_plan: [
    {
      tool: 'ExitPlanMode',
      payload: {
        kind: 'show_plan',
        show_plan: {
          plan: `# A plan for everything\n\n${words}`,
          file_path: '/home/dev/.claude/plans/all.md',
          approved: true,
          edited: true,
        },
      },
    },
  ],
  ask_user: [
    {
      tool: 'AskUserQuestion',
      payload: {
        kind: 'ask_user',
        ask_user: {
          questions: Array.from({ length: 4 }, (_, q) => ({
            question: `Question ${q + 1}: ${'which of them shall it be, all things considered, '.repeat(6)}?`,
            header: `Header ${q + 1}`,
            multiSelect: q % 2 === 1,
            options: Array.from({ length: 4 }, (_, o) => ({
              label: `Option ${o + 1}, ${'with, commas, '.repeat(4)}end`,
              description: 'What it means, at length. '.repeat(12),
              preview: o === 0 ? lines(6, (at) => `preview ${at} ${'-'.repeat(160)}`) : undefined,
            })),
          })),
          answers: {
            [`Question 1: ${'which of them shall it be, all things considered, '.repeat(6)}?`]: `Option 1, ${'with, commas, '.repeat(4)}end`,
          },
        },
      },
    },
  ],
  mcp_tool: [
    {
      tool: 'mcp__lab__everything',
      payload: {
        kind: 'mcp_tool',
        mcp_tool: {
          server: 'lab',
          tool: 'everything',
          input: keys,
          output: [
            { type: 'text', text: JSON.stringify(keys) },
            { type: 'text', text: words },
          ],
        },
      },
    },
  ],
  misc: [
    {
      tool: 'ReportFindings',
      payload: {
        kind: 'misc',
        misc: {
          label: 'Findings',
          details: {
            input: {
              findings: Array.from({ length: 300 }, (_, at) => ({
                file: `src/folder/with/a/long/name/file_${at}.rs`,
                line: at + 1,
                summary: `Finding ${at + 1}: ${'it goes wrong here '.repeat(5)}`,
                failure_scenario: 'When the input is large. '.repeat(10),
                severity: ['high', 'medium', 'nit'][at % 3],
                category: 'overflow',
              })),
            },
            output: null,
          },
        },
      },
    },
  ],
  generic: [
    {
      tool: 'Everything',
      payload: { kind: 'generic', generic: { name: 'Everything', input: keys, output: 'x'.repeat(200_000) } },
    },
  ],
};
