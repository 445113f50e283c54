// Every kind of call in every state.
import { agent, asked, call, modify, output, questions, read, search, shell, type Row } from './makers';
import { E, dot, grep, plan, retryDiff, source, sql, testRun, workerDiff } from './texts';

export const sections: { title: string; rows: Row[] }[] = [
  {
    title: 'Rows',
    rows: [
      {
        call: call(
          'Read',
          read('src/delivery/worker.rs', {
            output: { content: source, line_count: 212, truncated: true, language: 'rust', image: null },
          }),
        ),
        took: 0.1,
      },
      { call: call('Grep', search('Retry-After|retry_after', ['a', 'b', 'c', 'd', 'e'], grep)), took: 0.2 },
      {
        call: call('WebFetch', {
          kind: 'http_request',
          http_request: {
            url: 'https://httpwg.org/specs/rfc9110.html#field.retry-after',
            method: 'GET',
            query: 'How is Retry-After written?',
            response: 'A date or a number of seconds.'.padEnd(48_000),
            status: 200,
            is_error: false,
          },
        }),
        took: 0.9,
      },
      {
        call: call('mcp__postgres__query', {
          kind: 'mcp_tool',
          mcp_tool: {
            server: 'postgres',
            tool: 'query',
            input: { sql: "select count(*) from deliveries where state = 'stuck'" },
            output: [{ type: 'text', text: '412' }],
          },
        }),
        took: 0.1,
      },
      { call: call('Bash', shell('cargo clippy --all-targets'), 'running', 7) },
      { call: call('Edit', modify('src/delivery/worker.rs', workerDiff), 'running'), waiting: true },
      {
        call: call(
          'Write',
          modify('migrations/0014_attempts.sql', null, {
            mutations: [
              { type: 'create', content: sql, old_content: null, new_content: null, diff: null, start_line: 1 },
            ],
          }),
        ),
      },
      {
        call: call(
          'Edit',
          modify('src/delivery/worker.rs', null, {
            error: 'String to replace not found in file. The file changed on disk since it was read (line 88).',
          }),
          'error',
        ),
        open: true,
        took: 0.1,
      },
      {
        call: call(
          'Agent',
          agent({
            description: 'Find every caller of send_once',
            prompt: 'Find every caller of `send_once`.',
            tool_use_count: 4,
            total_tokens: 12_400,
            duration_ms: 21_000,
            output: '6 callers. Only `replay.rs` relies on a single attempt, and it passes its own budget.',
          }),
        ),
        open: true,
        nested: [
          { call: call('Grep', search('send_once\\(', ['a', 'b', 'c', 'd'], 'x\n'.repeat(6))) },
          {
            call: call(
              'Read',
              read('src/replay.rs', {
                output: { content: source, line_count: 548, truncated: false, language: 'rust', image: null },
              }),
            ),
          },
        ],
      },
      {
        call: call('TodoWrite', {
          kind: 'manage_todos',
          manage_todos: {
            operation: 'write',
            items: [
              { id: '1', description: 'Classify responses into an outcome', status: 'completed', active_form: null },
              { id: '2', description: 'Exponential backoff with jitter', status: 'completed', active_form: null },
              { id: '3', description: 'Wire outcomes into the worker loop', status: 'in_progress', active_form: null },
              { id: '4', description: 'Store attempts and the next due time', status: 'pending', active_form: null },
              { id: '5', description: 'Show attempts in the dashboard', status: 'pending', active_form: null },
            ],
          },
        }),
        open: true,
      },
      { call: call('Edit', modify('src/delivery/retry.rs', retryDiff)), open: true, record: asked(9) },
      {
        call: call(
          'Bash',
          shell('cargo nextest run -p ferry delivery', {
            output: output(`${testRun}\n${'             at src/delivery/retry.rs\n'.repeat(33)}`, 100),
          }),
          'error',
        ),
        open: true,
        took: 12.4,
      },
    ],
  },
  {
    title: 'Answered questions',
    rows: [
      { call: call('Edit', modify('src/delivery/worker.rs', workerDiff)), record: asked(100, { edited: true }) },
      {
        call: call('Bash', shell('rm target/debug', { output: output('') })),
        open: true,
        record: asked(9, {
          edited: true,
          input: { command: 'rm -rf target', description: 'Remove the build' },
          updated_input: { command: 'rm target/debug', description: 'Remove the build' },
          permissions: [
            {
              type: 'addRules',
              rules: [{ toolName: 'Bash', ruleContent: 'rm target/*' }],
              behavior: 'allow',
              destination: 'session',
            },
          ],
        }),
      },
      {
        call: call('Bash', shell('git push'), 'error'),
        open: true,
        record: asked(300, {
          behavior: 'deny',
          by: 'timeout',
          interrupt: true,
          message: 'Nobody answered within 5 min.',
        }),
      },
      { call: call('Bash', shell('cargo fmt'), 'running'), record: asked(4, { behavior: 'deny' }) },
      {
        call: call('Bash', shell('cargo nextest run -p ferry', { output: output('ok\n') })),
        record: asked(0, { by: 'policy' }),
        took: 4.2,
      },
      {
        call: call('Bash', shell('rm -rf target/debug', { output: { ...output('use cargo clean', null) } }), 'error'),
        record: asked(3, { behavior: 'deny' }),
      },
      {
        call: call('Bash', shell('sleep 600'), 'error'),
        record: asked(60, { behavior: null, by: null, cancelled: true }),
      },
    ],
  },
  {
    title: 'Each kind, open',
    rows: [
      {
        call: call(
          'Read',
          read('src/delivery/retry.rs', {
            offset: 34,
            output: { content: source, line_count: 13, truncated: false, language: 'rust', image: null },
          }),
        ),
        open: true,
      },
      {
        call: call(
          'Read',
          read('docs/stuck.png', {
            output: {
              content: '',
              line_count: null,
              truncated: false,
              language: null,
              image: { media_type: 'image/png', data: dot },
            },
          }),
        ),
        open: true,
      },
      {
        call: call(
          'Read',
          read('empty.txt', { output: { content: '', line_count: 0, truncated: false, language: null, image: null } }),
        ),
        open: true,
      },
      { call: call('Edit', modify('src/delivery/worker.rs', workerDiff)), open: true },
      {
        call: call(
          'Write',
          modify('migrations/0014_attempts.sql', null, {
            mutations: [
              { type: 'create', content: sql, old_content: null, new_content: null, diff: null, start_line: 1 },
            ],
          }),
        ),
        open: true,
      },
      {
        call: call(
          'Bash',
          shell(
            'git log --since=2.weeks --format=%h%x09%an%x09%s -- src/delivery migrations \\\n  | sort -k2 | head -40 > notes/delivery-history.txt',
            { description: 'List recent changes to delivery', output: output('') },
          ),
        ),
        open: true,
      },
      {
        call: call(
          'Bash',
          shell('npm run dev', {
            background: true,
            output: { ...output('', null), note: 'Running in the background as task b1.' },
          }),
        ),
        open: true,
      },
      {
        call: call(
          'Bash',
          shell('yes | head -c 10000000', {
            output: {
              ...output('y'.padEnd(80, '=').concat('\n').repeat(125_000)),
              truncated: true,
              full_output_path: '/tmp/out.txt',
            },
          }),
        ),
        open: true,
        took: 3.1,
      },
      {
        call: call(
          'Bash',
          shell('pip install .', {
            output: output(
              `Collecting\rDownloading 10 %\rDownloading 55 %\rDownloading 100 %\n${E}[7;32m PASS ${E}[0m done ${E}[2min 3 s${E}[0m\n`,
            ),
          }),
        ),
        open: true,
        took: 3.1,
      },
      { call: call('Grep', search('delay', ['a', 'b', 'c'], grep)), open: true },
      {
        call: call('WebSearch', {
          kind: 'http_request',
          http_request: {
            url: null,
            method: null,
            query: 'rfc 9110 retry-after',
            response: '- [RFC 9110](https://httpwg.org/specs/rfc9110.html)\n- [MDN](https://developer.mozilla.org/)',
            status: null,
            is_error: false,
          },
        }),
        open: true,
        took: 1.4,
      },
      {
        call: call(
          'WebFetch',
          {
            kind: 'http_request',
            http_request: {
              url: 'https://a.example/gone',
              method: 'GET',
              query: 'x',
              response: 'The page is gone.',
              status: 410,
              is_error: true,
            },
          },
          'error',
        ),
        open: true,
        took: 0.4,
      },
      {
        call: call('TaskCreate', {
          kind: 'create_task',
          create_task: {
            title: 'Store attempts',
            description: 'A table, an index, a migration that runs both ways.',
            id: '4',
          },
        }),
        open: true,
      },
      {
        call: call('TaskUpdate', {
          kind: 'manage_todos',
          manage_todos: {
            operation: 'update',
            items: [{ id: '4', description: 'Store attempts', status: 'in_progress', active_form: null }],
          },
        }),
      },
      {
        call: call('ExitPlanMode', {
          kind: 'show_plan',
          show_plan: { plan, file_path: '/home/dev/.claude/plans/retry.md', approved: true, edited: false },
        }),
        open: true,
        record: asked(190),
      },
      {
        call: call('AskUserQuestion', {
          kind: 'ask_user',
          ask_user: {
            questions,
            answers: {
              'Which store should keep the attempts?': 'Postgres table',
              'What should come with it?': 'Index on next_due_at, Backfill',
            },
          },
        }),
        open: true,
        record: asked(20),
      },
      {
        call: call('mcp__lab__picture', {
          kind: 'mcp_tool',
          mcp_tool: {
            server: 'lab',
            tool: 'picture',
            input: { size: 16, options: { dark: true, tags: ['a', 'b'] } },
            output: [
              { type: 'text', text: 'A picture:' },
              { type: 'image', mimeType: 'image/png', data: dot },
            ],
          },
        }),
        open: true,
      },
      {
        call: call('Skill', {
          kind: 'misc',
          misc: {
            label: 'Skill code-review',
            details: {
              input: { skill: 'code-review', args: 'src' },
              output: { success: true, commandName: 'code-review' },
            },
          },
        }),
        open: true,
      },
      {
        call: call('Telepathy', {
          kind: 'generic',
          generic: {
            name: 'Telepathy',
            input: { to: 'reader', body: 'A tool that this version does not know.', tries: 3, flags: [] },
            output: null,
          },
        }),
        open: true,
      },
      {
        call: call(
          'Telepathy',
          {
            kind: 'generic',
            generic: {
              name: 'Telepathy',
              input: {},
              output: '<tool_use_error>No such tool available: Telepathy</tool_use_error>',
            },
          },
          'error',
        ),
        open: true,
      },
      {
        call: call(
          'Agent',
          agent({ description: 'Review the migration', subagent_type: 'Explore', prompt: 'Look at it.' }),
          'running',
          64,
        ),
        open: true,
        nested: [
          { call: call('Bash', shell('psql -c "\\d attempts"'), 'running', 3) },
          {
            call: call('Agent', agent({ description: 'A subagent of the subagent', prompt: 'Deeper.' })),
            open: true,
            nested: [{ call: call('Edit', modify('src/delivery/retry.rs', retryDiff)), open: true, record: asked(9) }],
          },
        ],
      },
    ],
  },
];
