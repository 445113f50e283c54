// Written states of what happens around a conversation: notices of every kind, and what MCP servers ask.
import type { Event, EventBody } from '../bindings/bindings';
import { body, turn } from './story';

const notice = (kind: string, text: string, data: unknown): EventBody => ({ type: 'notice', kind, text, data });

/** A form with a field of every kind. */
export const formSchema = {
  type: 'object',
  properties: {
    branch: { type: 'string', title: 'Branch', description: 'Made from main if it is not there.', default: 'retry' },
    environment: {
      type: 'string',
      title: 'Environment',
      oneOf: [
        { const: 'stage', title: 'Staging' },
        { const: 'prod', title: 'Production' },
      ],
    },
    replicas: { type: 'integer', title: 'Replicas', minimum: 1, maximum: 8, default: 2 },
    owner: { type: 'string', title: 'Who is told', format: 'email' },
    parts: {
      type: 'array',
      title: 'Parts',
      items: { type: 'string', enum: ['worker', 'api', 'dashboard'] },
      minItems: 1,
    },
    dry: {
      type: 'boolean',
      title: 'Dry run',
      description: 'Says what would be done, and does nothing.',
      default: true,
    },
    labels: { type: 'object', title: 'Labels' },
  },
  required: ['branch', 'environment', 'parts'],
};

export const formQuestion = (id: string): EventBody =>
  notice('elicitation', 'How shall the retry branch be deployed?', {
    request_id: id,
    mcp_server_name: 'deploy',
    mode: 'form',
    requested_schema: formSchema,
    property_order: Object.keys(formSchema.properties),
  });

export const addressQuestion = (id: string): EventBody =>
  notice('elicitation', 'Sign in to the tracker, so that issues can be read for you.', {
    request_id: id,
    mcp_server_name: 'tracker',
    mode: 'url',
    url: 'https://tracker.example.org/oauth/authorize?client_id=claude&state=5b1c0f',
    elicitation_id: 'el-1',
  });

/** The story, and at its end a question of a server: a form, or an address. */
export function withElicitation(state: string): Event[] {
  const s = body();
  s.text('m2', '8 of 9 pass. The deployment server has a question before it goes on.');
  s.tool(
    'toolu_13',
    'mcp__deploy__start',
    'deploy: start',
    {
      kind: 'mcp_tool',
      mcp_tool: { server: 'deploy', tool: 'start', input: { branch: 'retry' }, output: null },
    },
    'running',
  );
  s.say(state === 'address' ? addressQuestion('e-1') : formQuestion('e-1'));
  s.say({ type: 'session_state', state: 'requires_action' });
  return s.events;
}

/** Every kind of notice. */
export const notices: { body: EventBody; after: number }[] = [
  { body: notice('hook_started', 'PreToolUse:Bash', { hook_id: 'h1', hook_name: 'PreToolUse:Bash' }), after: 1 },
  {
    body: notice('hook_response', 'PreToolUse:Bash: success', {
      hook_id: 'h1',
      hook_name: 'PreToolUse:Bash',
      outcome: 'success',
      stdout: 'formatted 3 files',
    }),
    after: 2,
  },
  { body: notice('hook_started', 'Stop:lint', { hook_id: 'h2', hook_name: 'Stop:lint' }), after: 0 },
  {
    body: notice('hook_response', 'Stop:lint: error', {
      hook_id: 'h2',
      hook_name: 'Stop:lint',
      outcome: 'error',
      exit_code: 2,
      stderr: 'src/delivery/retry.rs:40\nunused variable: hint',
    }),
    after: 1.4,
  },
  {
    body: notice('memory_recall', 'memory recall', {
      mode: 'select',
      memories: [{ path: '/home/dev/.claude/memory/testing.md' }, { path: '/home/dev/.claude/memory/style.md' }],
    }),
    after: 1,
  },
  {
    body: notice('model_fallback', 'fallback', {
      trigger: 'overloaded',
      original_model: 'claude-opus-4-5',
      fallback_model: 'claude-sonnet-4-5',
    }),
    after: 1,
  },
  { body: notice('auth_status', 'Signed in', { isAuthenticating: false, output: ['Signed in as dev'] }), after: 1 },
  {
    body: notice('notify_user', 'The migration is written', {
      title: 'The migration is written',
      message: 'It waits for your review before it runs.',
      level: 'info',
    }),
    after: 1,
  },
  {
    body: notice('control_error', 'set_model was refused', { request: 'set_model', reason: 'no such model: opus-9' }),
    after: 1,
  },
  { body: notice('permission_timeout', 'Nobody answered', { pending_id: 'p-9', seconds: 300 }), after: 1 },
  {
    body: notice(
      'permission_loop',
      '5 calls in a row failed for the same reason of permission. The turn was interrupted.',
      {},
    ),
    after: 1,
  },
  {
    body: notice('permission_denied', 'Bash was denied: a rule of the project denies git push', { tool_name: 'Bash' }),
    after: 1,
  },
  {
    body: notice('session_writes_lost', 'writes lost', { error_code: 'ENOSPC', lost: ['transcript'] }),
    after: 1,
  },
  { body: notice('status', 'compacting', { status: 'compacting' }), after: 1 },
  { body: notice('compact_boundary', 'Conversation compacted: 168k to 31k tokens', {}), after: 9 },
  {
    body: notice('api_retry', 'overloaded: trying again in 8.0 s (attempt 3 of 10)', {
      attempt: 3,
      max_retries: 10,
      retry_delay_ms: 8000,
      error_status: 529,
      error: 'overloaded',
    }),
    after: 1,
  },
];

export function withNotices(state: string): Event[] {
  const s = body();
  // The retry of the story is over by then.
  s.text('m2', '8 of 9 pass.');
  for (const one of notices) s.say(one.body, one.after);
  if (state === 'silent') {
    s.text('m2', '8 of 9 pass. I will clamp the jitter.');
    s.tool(
      'toolu_13',
      'Bash',
      'cargo test',
      { kind: 'generic', generic: { name: 'Bash', input: {}, output: null } },
      'running',
    );
    s.say(
      notice('silent_turn', 'Nothing was heard for 120 s', {
        waiting_for: 'tool',
        tool_call_id: 'toolu_13',
        seconds: 120,
        next_step: 'Interrupt the turn if it should be done by now.',
      }),
    );
  } else if (state === 'apierror') {
    const text = 'API Error: 400 messages.4.content.0: image exceeds 5 MB maximum';
    s.say({ type: 'message_chunk', message_id: 'm9', text });
    s.say({ type: 'complete', data: turn({ is_error: true, terminal_reason: 'api_error' }) });
    s.say({
      type: 'error',
      error: text,
      data: { code: 'invalid_request', next_step: 'Shorten what is sent, or start anew from the last good message.' },
    });
  }
  return s.events;
}
