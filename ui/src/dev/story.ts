// One conversation, written by hand, with every kind of row in it: what the pictures and many tests are made from.
import type {
  Event,
  EventBody,
  NormalizedPayload,
  PermissionRequest,
  ToolStatus,
  TurnSummary,
} from '../bindings/bindings';

const start = Date.now();
export const ago = (seconds: number) => new Date(start - seconds * 1000).toISOString();

export class Script {
  readonly events: Event[] = [];
  constructor(private at: number) {}

  /** Adds an event, `after` seconds after the one before it. */
  say(body: EventBody, after = 0, parent?: string): this {
    this.at -= after;
    this.events.push({
      seq: this.events.length + 1,
      at: ago(this.at),
      session_id: 'c0ffee',
      ...(parent ? { parent_tool_call_id: parent } : {}),
      ...body,
    } as Event);
    return this;
  }

  tool(
    id: string,
    name: string,
    title: string,
    normalized: NormalizedPayload,
    status: ToolStatus = 'complete',
    took = 0.2,
    parent?: string,
  ): this {
    const call = { tool_call_id: id, tool_name: name, tool_title: title, normalized };
    this.say({ type: 'tool_call', ...call, tool_status: 'running' }, 0, parent);
    return status === 'running' ? this : this.say({ type: 'tool_update', ...call, tool_status: status }, took, parent);
  }

  text(id: string, text: string): this {
    for (const piece of text.match(/[\s\S]{1,24}/g) ?? [])
      this.say({ type: 'message_chunk', message_id: id, text: piece }, 0.01);
    return this;
  }
}

export const turn = (change: Partial<TurnSummary>): TurnSummary => ({
  cost_usd: 0.21,
  total_cost_usd: 0.21,
  duration_ms: 108_000,
  duration_api_ms: 90_000,
  num_turns: 4,
  input_tokens: 38_400,
  output_tokens: 2100,
  subtype: 'success',
  is_error: false,
  terminal_reason: null,
  last_message_uuid: null,
  permission_denials: [],
  ...change,
});

const retryDiff = `--- a/src/delivery/retry.rs
+++ b/src/delivery/retry.rs
@@ -36,6 +36,7 @@ impl Backoff
 impl Backoff {
     /// Delay before attempt \`n\`, counted from 1.
-    pub fn delay(&self, n: u32) -> Duration {
-        self.base * n
+    pub fn delay(&self, n: u32, hint: Option<Duration>) -> Duration {
+        let wait = self.base.saturating_mul(1 << n.min(6)).min(self.cap);
+        hint.unwrap_or(wait).max(wait) + self.jitter(wait / 4)
     }
 }
`;

/** What two of the stories' changes have in common. */
export const backoffHunks = `@@ -1,6 +1,8 @@
 use std::time::Duration;
+use rand::Rng;
 
 pub struct Backoff {
     pub base: Duration,
-    pub limit: Duration,
+    pub cap: Duration,
+    pub attempts: u32,
 }
@@ -34,6 +36,12 @@ impl Backoff
 impl Backoff {
     /// Delay before attempt \`n\`, from 1.
-    pub fn delay(&self, n: u32) -> Duration {
-        self.base * n
+    pub fn delay(
+        &self,
+        n: u32,
+        hint: Option<Duration>,
+    ) -> Duration {
+        let wait = self.step(n).min(self.cap);
+        hint.unwrap_or(wait).max(wait)
+            + self.jitter(wait / 4)
     }
 }
`;

const turnDiff = `--- a/src/delivery/retry.rs
+++ b/src/delivery/retry.rs
${backoffHunks}@@ -71,6 +79,12 @@ mod tests
 #[test]
 fn doubles_until_cap() {
     let b = Backoff::default();
-    assert_eq!(b.delay(3), secs(6));
+    assert_eq!(b.delay(3, None), secs(8));
 }
 
+#[test]
+fn retry_after_wins() {
+    let b = Backoff::default();
+    let d = b.delay(1, Some(secs(30)));
+    assert!(d >= secs(30));
+}
--- /dev/null
+++ b/src/store/attempts.rs
@@ -0,0 +1,3 @@
+pub struct Attempts;
+
+impl Attempts {}
--- a/tests/delivery.rs
+++ b/tests/delivery.rs
@@ -10,3 +10,3 @@
 fn delivers() {
-    assert!(deliver(1));
+    assert!(deliver(1, None));
 }
--- /dev/null
+++ b/migrations/0014_attempts.sql
@@ -0,0 +1,2 @@
+create table attempts (
+  id bigint primary key);
`;

const tests = [
  '\u001b[1;32m    Starting\u001b[0m 9 tests across 2 binaries',
  '\u001b[1;32m        PASS\u001b[0m [   0.004s] \u001b[35mferry\u001b[0m \u001b[36mdelivery::retry::\u001b[34mcaps_at_eight\u001b[0m',
  '\u001b[1;32m        PASS\u001b[0m [   0.006s] \u001b[35mferry\u001b[0m \u001b[36mdelivery::retry::\u001b[34mdoubles_until_cap\u001b[0m',
  '\u001b[1;31m        FAIL\u001b[0m [   0.012s] \u001b[35mferry\u001b[0m \u001b[36mdelivery::retry::\u001b[34mretry_after_wins\u001b[0m',
  '             assertion `left == right` failed: Retry-After must not be shortened',
  '               left: \u001b[31m30.4s\u001b[0m',
  '              right: \u001b[32m34s\u001b[0m',
  '\u001b[1;31m     Summary\u001b[0m [   0.241s] 9 tests run: \u001b[1m8\u001b[0m \u001b[1;32mpassed\u001b[0m, \u001b[1m1\u001b[0m \u001b[1;31mfailed\u001b[0m',
].join('\n');

const todo = (id: string, description: string, status: string, active: string) => ({
  id,
  description,
  status,
  active_form: active,
});
const todos = [
  todo('1', 'Classify responses into an outcome', 'completed', 'Classifying responses'),
  todo('2', 'Exponential backoff with jitter', 'completed', 'Writing the backoff'),
  todo('3', 'Wire outcomes into the worker loop', 'in_progress', 'Wire outcomes into the worker loop'),
  todo('4', 'Store attempts and the next due time', 'pending', 'Storing attempts'),
  todo('5', 'Show attempts in the dashboard', 'pending', 'Showing attempts'),
];

export const read = (file: string, lines: number): NormalizedPayload => ({
  kind: 'read_file',
  read_file: {
    file_path: `/home/dev/code/ferry/${file}`,
    offset: null,
    limit: null,
    output: { content: 'pub fn main() {}\n', line_count: lines, truncated: false, language: 'rust', image: null },
  },
});
export const grep = (pattern: string, files: string[]): NormalizedPayload => ({
  kind: 'code_search',
  code_search: {
    query: null,
    pattern,
    path: null,
    glob: null,
    output: { files, file_count: files.length, truncated: false, content: null },
  },
});
export const bash = (command: string, stdout: string | null, code: number | null): NormalizedPayload => ({
  kind: 'shell_exec',
  shell_exec: {
    command,
    work_dir: null,
    description: null,
    timeout: null,
    background: false,
    output: stdout === null ? null : { exit_code: code, stdout, stderr: '', interrupted: false, truncated: false },
  },
});
export const edit = (file: string, diff: string | null): NormalizedPayload => ({
  kind: 'modify_file',
  modify_file: {
    file_path: `/home/dev/code/ferry/${file}`,
    mutations: [
      {
        type: 'patch',
        content: null,
        old_content: null,
        new_content: null,
        diff,
        start_line: Number(/\+(\d+)/.exec(diff ?? '')?.[1] ?? 1),
      },
    ],
  },
});

/** Everything up to the point where the agent writes its last answer. */
export function body(): Script {
  const s = new Script(700);
  s.say({ type: 'session_state', state: 'running' })
    .say({
      type: 'session_status',
      data: {
        session_status: 'new',
        model: 'claude-sonnet-4-5',
        cwd: '/home/dev/code/ferry',
        permission_mode: 'default',
        tools: ['Task', 'Bash', 'Edit', 'Glob', 'Grep', 'Read', 'Write', 'WebFetch'],
        mcp_servers: [
          { name: 'postgres', status: 'connected' },
          { name: 'sentry', status: 'failed' },
        ],
        cli_version: '2.1.332',
      },
    })
    .say({
      type: 'available_commands',
      available_commands: [
        { name: 'compact', description: 'Summarize the conversation to free context', argument_hint: '[what to keep]' },
        { name: 'review', description: 'Review the changes', argument_hint: null },
        { name: 'init', description: 'Write a CLAUDE.md for this folder', argument_hint: null },
      ],
    })
    .say({
      type: 'user_message',
      text: 'Read the delivery code and tell me where a failed webhook ends up.',
      uuid: 'u0',
      attachments: [],
      synthetic: false,
    })
    .text('m0', 'In `Worker::drop`: it is logged once and then forgotten.')
    .say({
      type: 'rate_limit',
      rate_limit_message: 'Usage limits',
      data: {
        rate_limit_info: {
          status: 'allowed',
          unifiedWindows: {
            five_hour: { utilization: 0.42, resetsAt: Math.floor(start / 1000) + 4 * 3600, status: 'allowed' },
            seven_day: { utilization: 0.18, resetsAt: Math.floor(start / 1000) + 3 * 86_400, status: 'allowed' },
          },
        },
      },
    })
    .say({
      type: 'context_window',
      context_window_size: 200_000,
      context_window_used: 59_300,
      context_window_remaining: 140_700,
      context_efficiency: 29.6,
    })
    .say({ type: 'complete', data: turn({}) })
    .say({ type: 'session_state', state: 'idle' })
    .say(
      {
        type: 'user_message',
        text: 'Deliveries that get a 503 are dropped after the first attempt, see the stuck column. Retry them with backoff and jitter, honour Retry-After, stop after 8 attempts, and cover it with tests. @src/delivery/worker.rs',
        uuid: 'u1',
        attachments: [],
        synthetic: false,
      },
      448,
    )
    .say({ type: 'session_state', state: 'running' })
    .say(
      {
        type: 'reasoning',
        message_id: 'm1',
        reasoning_text: 'Every non-2xx goes through drop(), so the retry budget in config is never read. ',
      },
      1,
    )
    .say(
      {
        type: 'reasoning',
        message_id: 'm1',
        reasoning_text: 'The dashboard calls such a row stuck because it has no attempt after the first.',
      },
      14,
    )
    .tool('toolu_01', 'Read', 'src/delivery/worker.rs', read('src/delivery/worker.rs', 212))
    .tool('toolu_02', 'Grep', 'send_once\\(', grep('send_once\\(', ['a.rs', 'b.rs', 'c.rs', 'd.rs']))
    .text(
      'm1',
      'The drop is in `Worker::deliver_once`: every response outside 2xx goes to `drop()`, so a 503 and a 404 end the same way. I will give the worker an **outcome** to act on instead of a boolean:\n\n```rust\npub enum Outcome {\n    Delivered,\n    /// Worth another attempt; `after` is what Retry-After asked for.\n    Retry { after: Option<Duration> },\n    Failed(StatusCode),\n}\n```\n\nWhich response leads where:\n\n| Response | Today | With this change |\n| --- | --- | --- |\n| 2xx | delivered | delivered |\n| 408, 429, 5xx, timeout | dropped | retried, at most 8 attempts |\n| any with `Retry-After` | dropped | retried, not before the time given |\n| other 4xx | dropped | failed, kept for replay |\n',
    );
  const agent = (status: string, output: string | null): NormalizedPayload => ({
    kind: 'subagent_task',
    subagent_task: {
      description: 'Find every caller of send_once',
      prompt: 'Find every caller of send_once and say which rely on a single attempt.',
      subagent_type: 'Explore',
      status,
      agent_id: 'a1',
      duration_ms: output === null ? null : 21_000,
      total_tokens: output === null ? null : 12_400,
      tool_use_count: output === null ? null : 4,
      output,
    },
  });
  const call = { tool_call_id: 'toolu_07', tool_name: 'Agent', tool_title: 'Find every caller of send_once' };
  s.say({ type: 'tool_call', ...call, tool_status: 'running', normalized: agent('running', null) })
    .say({
      type: 'task_started',
      task_id: 'a1',
      tool_use_id: 'toolu_07',
      description: 'Find every caller of send_once',
      subagent_type: 'Explore',
    })
    .tool(
      'toolu_05',
      'Grep',
      'send_once\\(',
      grep('send_once\\(', ['a.rs', 'b.rs', 'c.rs', 'd.rs']),
      'complete',
      1,
      'toolu_07',
    )
    .tool('toolu_06', 'Read', 'src/delivery/replay.rs', read('src/delivery/replay.rs', 548), 'complete', 1, 'toolu_07')
    .say(
      {
        type: 'message_chunk',
        message_id: 'm1a',
        text: '6 callers. Only `replay.rs` relies on a single attempt, and it passes its own budget.',
      },
      2,
      'toolu_07',
    )
    .say({
      type: 'task_notification',
      task_id: 'a1',
      tool_use_id: 'toolu_07',
      status: 'completed',
      summary: '6 callers, one relies on a single attempt',
      usage: { total_tokens: 12_400, tool_uses: 4 },
    })
    .say({ type: 'tool_update', ...call, tool_status: 'complete', normalized: agent('completed', '6 callers.') }, 17)
    .say({ type: 'task_started', task_id: 'b2', description: 'cargo watch -x check', task_type: 'bash' })
    .tool(
      'toolu_09',
      'Edit',
      'src/delivery/worker.rs',
      { kind: 'modify_file', modify_file: { file_path: '/home/dev/code/ferry/src/delivery/worker.rs', mutations: [] } },
      'error',
      0.1,
    )
    .tool(
      'toolu_10',
      'TodoWrite',
      '2 of 5 done',
      { kind: 'manage_todos', manage_todos: { operation: 'write', items: todos } },
      'complete',
      0,
    )
    .say({ type: 'todos', items: todos })
    .say(
      {
        type: 'tool_call',
        tool_call_id: 'toolu_11',
        tool_name: 'Edit',
        tool_title: 'src/delivery/retry.rs',
        tool_status: 'running',
        normalized: edit('src/delivery/retry.rs', null),
      },
      20,
    )
    .say(question('p-1', 'toolu_11', 'Edit', 'src/delivery/retry.rs', edit('src/delivery/retry.rs', retryDiff)))
    .say({ type: 'permission_resolved', pending_id: 'p-1', behavior: 'allow', by: 'user' }, 9)
    .say(
      {
        type: 'tool_update',
        tool_call_id: 'toolu_11',
        tool_name: 'Edit',
        tool_title: 'src/delivery/retry.rs',
        tool_status: 'complete',
        normalized: edit('src/delivery/retry.rs', retryDiff),
      },
      0.1,
    )
    .say({
      type: 'turn_diff_updated',
      diff: turnDiff,
      files: [
        { path: 'src/store/attempts.rs', added: 42, removed: 0 },
        { path: 'src/delivery/retry.rs', added: 18, removed: 4 },
        { path: 'tests/delivery.rs', added: 19, removed: 4 },
        { path: 'migrations/0014_attempts.sql', added: 4, removed: 0 },
      ],
    })
    .tool(
      'toolu_12',
      'Bash',
      'cargo nextest run -p ferry delivery',
      bash('cargo nextest run -p ferry delivery', tests, 100),
      'complete',
      12.4,
    )
    .say({
      type: 'context_window',
      context_window_size: 200_000,
      context_window_used: 62_400,
      context_window_remaining: 137_600,
      context_efficiency: 31.2,
    })
    .say({
      type: 'notice',
      kind: 'api_retry',
      text: 'Overloaded (529): attempt 2 of 10 went through after 4 s',
      data: {},
    });
  return s;
}

export function story(): Event[] {
  const s = body();
  s.text(
    'm2',
    '8 of 9 pass. `retry_after_wins` fails because the jitter is taken from the computed wait, not from the one the server asked for. I will clamp',
  );
  return s.events;
}

/** The story, and two prompts sent while its turn runs. */
export function withQueue(): Event[] {
  const s = body();
  s.text('m2', '8 of 9 pass. `retry_after_wins` fails because of the jitter. I will clamp');
  const prompt = (text: string, uuid: string) =>
    s.say({ type: 'user_message', text, uuid, attachments: [], synthetic: false }, 4);
  prompt('Also count retries in the metrics, one series per outcome', 'u2');
  prompt(
    'And when that is done, write the migration notes for the on-call handbook, short, with the query that finds stuck rows',
    'u3',
  );
  return s.events;
}

/** The story with work in the background and in the turn; with its turn over, if that is wanted. */
export function withTasks(over: boolean = false): Event[] {
  const s = body();
  s.say({
    type: 'task_started',
    task_id: 'm4',
    run_id: 'r1',
    description: 'sqlx migrate run',
    task_type: 'local_bash',
    is_backgrounded: true,
  })
    .say({ type: 'task_notification', task_id: 'm4', status: 'failed', summary: 'exit code 1' }, 3)
    .tool(
      'toolu_20',
      'Agent',
      'Review the migration',
      {
        kind: 'subagent_task',
        subagent_task: {
          description: 'Review the migration',
          prompt: 'Review migrations/0014_attempts.sql.',
          subagent_type: 'reviewer',
          status: 'running',
          agent_id: 'a2',
          duration_ms: null,
          total_tokens: null,
          tool_use_count: null,
          output: null,
        },
      },
      'running',
    )
    .say({
      type: 'task_started',
      task_id: 'a2',
      run_id: 'r2',
      tool_use_id: 'toolu_20',
      description: 'Review the migration',
      subagent_type: 'reviewer',
      task_type: 'local_agent',
      is_backgrounded: true,
    })
    .tool(
      'toolu_21',
      'Read',
      'migrations/0014_attempts.sql',
      read('migrations/0014_attempts.sql', 22),
      'complete',
      1,
      'toolu_20',
    )
    .tool('toolu_22', 'Grep', 'next_due_at', grep('next_due_at', ['a.rs']), 'complete', 1, 'toolu_20')
    .tool('toolu_23', 'Read', 'src/store/jobs.rs', read('src/store/jobs.rs', 310), 'running', 1, 'toolu_20')
    .say({
      type: 'task_progress',
      task_id: 'a2',
      description: 'Reading src/store/jobs.rs',
      last_tool_name: 'Read',
      usage: { total_tokens: 18_900, tool_uses: 7, duration_ms: 64_000 },
    });
  if (over) {
    s.text('m3', 'The review runs on its own; I will come back to it.')
      .say({ type: 'complete', data: turn({ cost_usd: 0.42, total_cost_usd: 0.63 }) })
      .say({ type: 'session_state', state: 'idle' });
    return s.events;
  }
  s.tool('toolu_24', 'Bash', 'cargo test', bash('cargo test', null, null), 'running').say(
    {
      type: 'task_started',
      task_id: 'f3',
      run_id: 'r3',
      tool_use_id: 'toolu_24',
      description: 'cargo test',
      task_type: 'local_bash',
      is_backgrounded: false,
    },
    3,
  );
  return s.events;
}

const workerDiff = `--- a/src/delivery/worker.rs
+++ b/src/delivery/worker.rs
@@ -4,2 +4,2 @@
-use crate::delivery::retry::Backoff;
+use crate::delivery::retry::{Backoff, Outcome};
 use crate::store::Job;
@@ -84,5 +84,7 @@ Worker::deliver_once
     let response = self.client.post(&job.url).send().await;
-    if !response.is_success() {
-        return self.drop(job, "non-2xx").await;
-    }
+    match Outcome::of(&response) {
+        Outcome::Delivered => self.mark_delivered(&job).await?,
+        Outcome::Retry { after } => self.requeue(job, after).await?,
+        Outcome::Failed(code) => self.mark_failed(&job, code).await?,
+    }
     Ok(())
@@ -130,2 +132,2 @@
 /// Attempts before a delivery is given up.
-const MAX_ATTEMPTS: u32 = 1;
+const MAX_ATTEMPTS: u32 = 8;
`;

function question(
  pending: string,
  call: string,
  tool: string,
  title: string,
  normalized: NormalizedPayload,
  input: unknown = {},
  change: Partial<PermissionRequest> = {},
): EventBody {
  return {
    type: 'permission_request',
    pending_id: pending,
    tool_call_id: call,
    tool_name: tool,
    tool_title: title,
    action_type: 'file_write',
    input,
    suggestions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
    normalized,
    data: {
      display_name: null,
      description: null,
      decision_reason: 'The PreToolUse hook asks before every change',
      decision_reason_type: 'hook',
      blocked_path: null,
      agent_id: null,
      title: null,
      requires_user_interaction: false,
    },
    ...change,
  };
}

/** The story, and at its end an open question: `approval`, `command`, `question` or `plan`. */
export function withQuestion(state: string): Event[] {
  const s = body();
  s.text('m2', '8 of 9 pass. The failing one needs the worker to act on outcomes.');
  if (state === 'question') {
    const questions = [
      {
        question: 'Which store should keep the attempts?',
        header: 'Store',
        multiSelect: false,
        options: [
          { label: 'Postgres table', description: 'One row per attempt, 90 days kept' },
          { label: 'Column on deliveries', description: 'A JSON array, no history after success' },
        ],
      },
      {
        question: 'What should come with it?',
        header: 'Extras',
        multiSelect: true,
        options: [
          { label: 'Index on next_due_at', description: 'The worker polls by it' },
          { label: 'Backfill', description: 'One attempt for each old delivery' },
        ],
      },
    ];
    const ask: NormalizedPayload = { kind: 'ask_user', ask_user: { questions, answers: {} } };
    s.tool('toolu_13', 'AskUserQuestion', 'Which store should keep the attempts?', ask, 'running').say(
      question(
        'p-2',
        'toolu_13',
        'AskUserQuestion',
        'Which store should keep the attempts?',
        ask,
        { questions },
        { action_type: 'question', suggestions: [] },
      ),
    );
  } else if (state === 'plan') {
    const plan =
      '## Retry deliveries in three steps\n\n1. Give the worker an `Outcome`, with `Retry-After` parsed once at the edge.\n2. Store attempts and `next_due_at`; the worker polls by it, so a restart loses nothing.\n3. Show attempts in the dashboard. The stuck column goes away.\n\nOut of scope: per-customer budgets.';
    const shown: NormalizedPayload = {
      kind: 'show_plan',
      show_plan: { plan, file_path: null, approved: null, edited: null },
    };
    s.tool('toolu_13', 'ExitPlanMode', 'Plan', shown, 'running').say(
      question('p-2', 'toolu_13', 'ExitPlanMode', 'Plan', shown, { plan }, { action_type: 'plan' }),
    );
  } else if (state === 'command') {
    const command =
      'git log --since=2.weeks --format=%h%x09%an%x09%s -- src/delivery migrations \\\n  | sort -k2 | head -40 > notes/delivery-history.txt';
    s.tool('toolu_13', 'Bash', 'List recent changes to delivery', bash(command, null, null), 'running').say(
      question(
        'p-2',
        'toolu_13',
        'Bash',
        'List recent changes to delivery',
        bash(command, null, null),
        { command, description: 'List recent changes to delivery' },
        {
          action_type: 'command',
          suggestions: [
            {
              type: 'addRules',
              rules: [{ toolName: 'Bash', ruleContent: 'git log *' }],
              behavior: 'allow',
              destination: 'localSettings',
            },
          ],
        },
      ),
    );
  } else {
    const input = { file_path: '/home/dev/code/ferry/src/delivery/worker.rs', old_string: 'a', new_string: 'b' };
    s.tool('toolu_13', 'Edit', 'src/delivery/worker.rs', edit('src/delivery/worker.rs', null), 'running')
      .say(
        question(
          'p-2',
          'toolu_13',
          'Edit',
          'src/delivery/worker.rs',
          edit('src/delivery/worker.rs', workerDiff),
          input,
        ),
      )
      .tool('toolu_14', 'Bash', 'cargo fmt', bash('cargo fmt', null, null), 'running')
      .say(
        question(
          'p-3',
          'toolu_14',
          'Bash',
          'cargo fmt',
          bash('cargo fmt', null, null),
          { command: 'cargo fmt' },
          { action_type: 'command' },
        ),
      );
  }
  s.say({ type: 'session_state', state: 'requires_action' });
  return s.events;
}

/** A long conversation of that many rows. */
export function everything(rows: number): Event[] {
  const s = new Script(rows + 100);
  for (let i = 0; i < rows; i++) {
    if (i % 20 === 0)
      s.say(
        {
          type: 'user_message',
          text: `Prompt ${i / 20 + 1}: look at part ${i} of the delivery code.`,
          uuid: `u${i}`,
          attachments: [],
          synthetic: false,
        },
        1,
      );
    else if (i % 5 === 0)
      s.say(
        {
          type: 'message_chunk',
          message_id: `m${i}`,
          text: `Part ${i} is in order. ${'It keeps its promise. '.repeat(i % 11)}`,
        },
        1,
      );
    else s.tool(`toolu_${i}`, 'Read', `src/part_${i}.rs`, read(`src/part_${i}.rs`, i));
  }
  return s.events;
}

/** The newest turn failed, after one that was good. */
export function withFailure(): Event[] {
  const s = new Script(900);
  s.say({
    type: 'user_message',
    text: 'Where does a failed webhook end up?',
    uuid: 'u1',
    attachments: [],
    synthetic: false,
  })
    .text('m1', 'In `Worker::drop`: it is logged once and then forgotten.')
    .say({ type: 'complete', data: turn({ last_message_uuid: 'a1' }) }, 12)
    .say({ type: 'user_message', text: 'Retry such deliveries.', uuid: 'u2', attachments: [], synthetic: false }, 200)
    .tool('toolu_01', 'Read', 'src/delivery/worker.rs', read('src/delivery/worker.rs', 212))
    .say({ type: 'error', error: 'Overloaded (529), 10 retries used', data: { code: 'overloaded' } }, 80)
    .say({ type: 'complete', data: turn({ is_error: true, subtype: 'success', cost_usd: 0.02 }) })
    .say({ type: 'session_state', state: 'idle' });
  return s.events;
}
