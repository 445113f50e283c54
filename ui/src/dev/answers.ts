// What the sessions of the pictures answer when they are asked: context, usage, output, raw lines.
import type { ContextUsage, Event, RawLine, UsageReport } from '../bindings/bindings';

/** The control requests that the CLI of the pictures knows. */
export const can = [
  'mcp_status',
  'mcp_toggle',
  'mcp_reconnect',
  'interrupt',
  'set_permission_mode',
  'set_model',
  'apply_flag_settings',
  'set_max_thinking_tokens',
  'get_context_usage',
  'get_usage',
  'rename_session',
  'rewind_files',
  'generate_session_title',
  'cancel_async_message',
  'stop_task',
  'background_tasks',
  'get_task_output',
];

const part = (id: string, name: string, tokens: number, kind = 'used') => ({
  id,
  name,
  tokens,
  kind,
  deferred: kind === 'deferred',
});

export const contextUsage: ContextUsage = {
  categories: [
    part('system_prompt', 'System prompt', 3200),
    part('system_tools', 'System tools', 14_100),
    part('system_tools_deferred', 'System tools (deferred)', 5457, 'deferred'),
    part('mcp_tools', 'MCP tools', 8600),
    part('memory_files', 'Memory files', 2400),
    part('skills', 'Skills', 12),
    part('messages', 'Messages', 34_100),
    part('free_space', 'Free space', 137_588, 'free'),
  ],
  total_tokens: 62_412,
  max_tokens: 200_000,
  percentage: 31,
  model: 'claude-sonnet-4-5',
  memory_files: [
    { path: '/home/dev/code/ferry/CLAUDE.md', tokens: 1900 },
    { path: '/home/dev/.claude/CLAUDE.md', tokens: 500 },
  ],
  mcp_tools: [
    { name: 'query', server: 'postgres', tokens: 5200 },
    { name: 'list_tables', server: 'postgres', tokens: 3400 },
  ],
};

export function usageReport(now: number): UsageReport {
  const inHours = (hours: number) => new Date(now + hours * 3_600_000).toISOString();
  return {
    total_cost_usd: 0.63,
    by_model: [
      {
        model: 'claude-sonnet-4-5',
        input_tokens: 24_100,
        output_tokens: 4800,
        cache_read_tokens: 61_400,
        cache_creation_tokens: 1100,
        cost_usd: 0.61,
      },
      {
        model: 'claude-haiku-4-5',
        input_tokens: 900,
        output_tokens: 120,
        cache_read_tokens: 0,
        cache_creation_tokens: 0,
        cost_usd: 0.002,
      },
    ],
    subscription_type: 'max',
    limits: [
      { window: 'five_hour', utilization: 42, resets_at: inHours(3.8), status: 'allowed' },
      { window: 'seven_day', utilization: 18, resets_at: inHours(71), status: 'allowed' },
      { window: 'seven_day_opus', utilization: 91, resets_at: inHours(71), status: 'allowed_warning' },
    ],
  };
}

export const outputs: Record<string, string> = {
  b2: '\u001b[1;32m    Checking\u001b[0m ferry v0.9.2\n\u001b[1;32m    Finished\u001b[0m `dev` profile in 1.32s\n[Finished running. Exit status: 0]\n',
  f3: 'Compiling ferry v0.9.2\n   Running unittests src/lib.rs\nrunning 61 tests\n',
  m4: 'Applied 0013/migrate attempts_index (12ms)\nerror: relation "attempts" already exists\n',
};

/** The lines that such events are made from: each with one, and some that make none. */
export function linesOf(events: Event[]): RawLine[] {
  const lines: RawLine[] = [];
  const say = (dir: string, said: unknown, at: string, seq: number | null) => {
    const line = typeof said === 'string' ? said : JSON.stringify(said);
    lines.push({
      index: lines.length + 1,
      at,
      dir,
      line,
      bytes: line.length,
      first_seq: seq,
      last_seq: seq,
      left_out: 0,
    });
  };
  events.forEach((event, i) => {
    const { seq, at, ...body } = event;
    if (i === 0) {
      say('meta', { argv: ['claude', '-p', '--input-format', 'stream-json'], cwd: '/home/dev/code/ferry' }, at, null);
      say('in', { type: 'control_request', request_id: 'host-1', request: { subtype: 'initialize' } }, at, null);
      say('err', 'Warning: no stdin data received in 3s', at, null);
    }
    if (i % 40 === 20) say('out', { type: 'keep_alive' }, at, null);
    say(event.type === 'user_message' ? 'in' : 'out', body, at, seq);
  });
  return lines;
}
