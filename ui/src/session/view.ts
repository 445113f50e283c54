// The state of one session as a person sees it, made from its events. Knows no framework, no clock and no backend:
// `apply` is a function of the view and the event alone, and its cost does not grow with the session.
import type {
  AvailableCommand,
  ChangedFile,
  ContextWindow,
  Event,
  PromptImage,
  SessionEnd,
  SessionOrigin,
  SessionState,
  TodoItem,
  TurnSummary,
} from '../bindings/bindings';
import { throughOf } from '../backend/history';
import { readLimits, type Limit } from './limits';
import { hear, takeNotice } from './notices';
import { append, replace, rowOf, type Place } from './places';
import type { AnswerRow, OpenQuestion, PermissionRecord, ReasoningRow, Row, ToolRow } from './rows';
import { Queue, type Queued } from './queue';
import { endAll, follow, followNotice, type Task } from './tasks';
import { Pieces } from './text';

/** A finished turn's figures and what it changed. */
export type Turn = { number: number; at: string; data: TurnSummary; files: ChangedFile[]; diff: string };

export { outermost, rowOf } from './places';

export type SessionView = {
  rows: Row[];
  places: Map<string, Place>;
  /** The newest events, for the inspector. */
  log: Event[];
  lastSeq: number;
  cliSession: string | null;
  origin: SessionOrigin | null;
  cwd: string | null;
  mode: string | null;
  model: string | null;
  title: string | null;
  cliVersion: string | null;
  tools: unknown[];
  mcpServers: unknown[];
  commands: AvailableCommand[];
  open: OpenQuestion[];
  /** By tool call id. */
  records: Map<string, PermissionRecord>;
  /** The tool call of each request that was ever asked. */
  asked: Map<string, string | null>;
  todos: TodoItem[];
  todosAt: string | null;
  tasks: Map<string, Task>;
  /** Prompts sent while a turn ran that the agent does not have yet. */
  queue: Queue;
  context: ContextWindow | null;
  limits: Map<string, Limit>;
  state: SessionState | null;
  turn: {
    number: number;
    startedAt: string | null;
    contextAtStart: number;
    files: ChangedFile[];
    diff: string;
    prompt: string | null;
  };
  turns: Turn[];
  /** Prompts that were not delivered, for the composer to give back. */
  returned: { seq: number; text: string; images: PromptImage[] }[];
  ended: SessionEnd | null;
  /** Messages whose text is being received: message id to row keys. */
  messages: Map<string, { answer: string[]; reasoning: string[] }>;
  /** The row at the end of the main thread that still streams. */
  streaming: string | null;
  /** What goes on that notices tell of, and the row of each. */
  threads: Map<string, string>;
};

const LOG_KEEPS = 2000;

export function emptyView(): SessionView {
  return {
    rows: [],
    places: new Map(),
    log: [],
    lastSeq: 0,
    cliSession: null,
    origin: null,
    cwd: null,
    mode: null,
    model: null,
    title: null,
    cliVersion: null,
    tools: [],
    mcpServers: [],
    commands: [],
    open: [],
    records: new Map(),
    asked: new Map(),
    todos: [],
    todosAt: null,
    tasks: new Map(),
    queue: new Queue(),
    context: null,
    limits: new Map(),
    state: null,
    turn: { number: 1, startedAt: null, contextAtStart: 0, files: [], diff: '', prompt: null },
    turns: [],
    returned: [],
    ended: null,
    messages: new Map(),
    streaming: null,
    threads: new Map(),
  };
}

/** Adds one event. Events that were applied already are left out, so a second watch may overlap the first. */
export function apply(view: SessionView, event: Event): void {
  if (event.seq <= view.lastSeq) return;
  view.lastSeq = throughOf(event);
  if (event.session_id) view.cliSession = event.session_id;
  view.log.push(event);
  if (view.log.length > 2 * LOG_KEEPS) view.log.splice(0, view.log.length - LOG_KEEPS);
  hear(view, event);

  switch (event.type) {
    case 'session_status':
      view.origin = event.data.session_status;
      view.model = event.data.model ?? view.model;
      view.cwd = event.data.cwd ?? view.cwd;
      view.mode = event.data.permission_mode ?? view.mode;
      view.cliVersion = event.data.cli_version ?? view.cliVersion;
      view.tools = event.data.tools;
      view.mcpServers = event.data.mcp_servers;
      // Something runs again after an end: a resume.
      view.ended = null;
      // What waited at the end of a turn is in the one that begins.
      if (view.turn.startedAt === null) delivered(view, event, view.queue.begins());
      break;
    case 'available_commands':
      view.commands = event.available_commands;
      break;
    case 'user_message': {
      settle(view, event);
      const key = `p${event.seq}`;
      const own = !event.parent_tool_call_id && !event.synthetic;
      const queued = own && view.turn.startedAt !== null && view.state !== 'idle';
      append(view, event, {
        kind: 'prompt',
        key,
        at: event.at,
        text: event.text,
        attachments: event.attachments,
        synthetic: event.synthetic,
        ...(queued ? { queue: { state: 'queued', at: event.at } as const } : {}),
      });
      if (queued) {
        const { uuid, text, at } = event;
        view.queue.add({ uuid, key, text, images: event.attachments.length, at });
      }
      if (own) startTurn(view, event, key);
      break;
    }
    case 'message_chunk':
      say(view, event, 'answer', event.message_id, event.text);
      break;
    case 'reasoning':
      say(view, event, 'reasoning', event.message_id, event.reasoning_text);
      break;
    case 'message_discarded':
      if (view.messages.has(event.message_id)) view.queue.again(event.message_id);
      discard(view, event.message_id);
      break;
    case 'tool_call':
    case 'tool_update':
      useTool(view, event);
      break;
    case 'todos':
      view.todos = event.items;
      view.todosAt = event.at;
      break;
    case 'permission_request': {
      const call = event.tool_call_id;
      if (view.open.some((one) => one.id === event.pending_id)) break;
      // A new list each time: a view that reads it compares by identity.
      view.open = [
        ...view.open,
        {
          kind: 'permission',
          id: event.pending_id,
          request: event,
          at: event.at,
          parent: event.parent_tool_call_id ?? null,
        },
      ];
      view.asked.set(event.pending_id, call);
      if (call)
        record(view, call, {
          asked_at: event.at,
          resolved_at: null,
          behavior: null,
          by: null,
          cancelled: false,
          edited: false,
          input: event.input,
        });
      break;
    }
    case 'permission_resolved':
      close(view, event.pending_id, {
        resolved_at: event.at,
        behavior: event.behavior,
        by: event.by,
        edited: event.updated_input !== undefined,
        updated_input: event.updated_input,
        message: event.message ?? null,
        interrupt: event.interrupt === true,
        permissions: event.updated_permissions ?? [],
      });
      break;
    case 'permission_cancelled':
      close(view, event.pending_id, { resolved_at: event.at, cancelled: true });
      break;
    case 'context_window':
      // A subagent has a window of its own.
      if (event.parent_tool_call_id) break;
      view.context = {
        context_window_size: event.context_window_size,
        context_window_used: event.context_window_used,
        context_window_remaining: event.context_window_remaining,
        context_efficiency: event.context_efficiency,
      };
      break;
    case 'rate_limit':
      for (const limit of readLimits(event.data, event.at, event.rate_limit_message)) view.limits.set(limit.key, limit);
      break;
    case 'complete':
      completeTurn(view, event, event.data);
      break;
    case 'error':
      settle(view, event);
      // The turn's own row has just said so.
      if (event.data.code === 'interrupted' && view.rows.at(-1)?.kind === 'turn') break;
      unsay(view, event.error, event.data.message_id ?? null);
      append(view, event, { kind: 'error', key: `e${event.seq}`, at: event.at, error: event.error, data: event.data });
      break;
    case 'session_state':
      view.state = event.state;
      if (event.state === 'running') startTurn(view, event, null);
      else settle(view, event);
      break;
    case 'task_started':
    case 'task_progress':
    case 'task_notification':
      follow(view.tasks, event);
      break;
    case 'turn_diff_updated':
      view.turn = { ...view.turn, files: event.files, diff: event.diff };
      break;
    case 'notice':
      if (event.kind === 'prompt_returned') {
        const back = givenBack(event.data);
        view.returned.push({ seq: event.seq, text: back.text, images: back.images });
        note(view, view.queue.drop(back.uuid), 'returned', event.at);
      }
      followNotice(view.tasks, event);
      // What the CLI took back is not shown as an answer any more.
      if (event.kind === 'supersedes') discard(view, takenBack(event.data));
      takeNotice(view, event);
      break;
    case 'mode_changed':
      view.mode = event.mode;
      break;
    case 'model_changed':
      view.model = event.model;
      break;
    case 'title_changed':
      view.title = event.title;
      break;
    case 'session_ended':
      settle(view, event);
      view.ended = event.data;
      endAll(view.tasks, event.at);
      note(view, view.queue.clear(), 'returned', event.at);
      append(view, event, { kind: 'ended', key: `x${event.seq}`, at: event.at, data: event.data });
      break;
    case 'unrecognized':
      append(view, event, { kind: 'unrecognized', key: `u${event.seq}`, at: event.at, raw: event.raw });
      break;
    default:
      event satisfies never;
  }
}

function say(view: SessionView, event: Event, kind: 'answer' | 'reasoning', message: string, text: string): void {
  if (!event.parent_tool_call_id) delivered(view, event, view.queue.says(message));
  const said = view.messages.get(message) ?? { answer: [], reasoning: [] };
  view.messages.set(message, said);
  const key = said[kind].at(-1);
  const row = key === undefined ? undefined : rowOf(view, key);
  // Only the main thread streams; what a subagent says comes whole.
  const streaming = !event.parent_tool_call_id;
  if (row && (row.kind === 'answer' || row.kind === 'reasoning') && isOpen(view, row.key)) {
    row.text.push(text);
    replace(
      view,
      row.kind === 'answer'
        ? { ...row, streaming, rev: row.rev + 1 }
        : { ...row, streaming, rev: row.rev + 1, until: event.at },
    );
    mark(view, event, row.key);
    return;
  }
  if (text === '') return;
  const pieces = new Pieces();
  pieces.push(text);
  const fresh = `${kind === 'answer' ? 'a' : 'r'}${event.seq}`;
  settle(view, event);
  const base = { key: fresh, at: event.at, message, text: pieces, streaming, rev: 0 };
  const made: AnswerRow | ReasoningRow =
    kind === 'answer' ? { kind: 'answer', ...base } : { kind: 'reasoning', ...base, until: event.at };
  append(view, event, made);
  said[kind].push(fresh);
  mark(view, event, fresh);
}

/** How many rows that are beside the conversation may stand between two pieces of one text. */
const ASIDES = 20;

/**
 * Whether a text goes on in that row. A tool call or another text behind it starts a new row, so that the order on screen is
 * the order of speech; a notice, or a prompt that waits for its turn, does not tear a sentence apart.
 */
function isOpen(view: SessionView, key: string): boolean {
  const place = view.places.get(key);
  if (!place) return false;
  const parent = place.parent === null ? null : rowOf(view, place.parent);
  const rows = parent === null ? view.rows : parent?.kind === 'tool' ? parent.children : [];
  if (rows.length - place.at > ASIDES) return false;
  for (let at = place.at + 1; at < rows.length; at++) {
    const kind = rows[at]?.kind;
    if (kind !== 'notice' && kind !== 'prompt' && kind !== 'unrecognized' && kind !== 'void') return false;
  }
  return true;
}

function mark(view: SessionView, event: Event, key: string): void {
  if (!event.parent_tool_call_id) view.streaming = key;
}

/** What streamed so far is whole now. */
function settle(view: SessionView, event: Event): void {
  if (view.streaming === null || event.parent_tool_call_id) return;
  const row = rowOf(view, view.streaming);
  if (row && (row.kind === 'answer' || row.kind === 'reasoning') && row.streaming)
    replace(view, { ...row, streaming: false });
  view.streaming = null;
}

function takenBack(data: unknown): string {
  const id = data && typeof data === 'object' ? (data as Record<string, unknown>).message_id : undefined;
  return typeof id === 'string' ? id : '';
}

function discard(view: SessionView, message: string): void {
  const said = view.messages.get(message);
  if (!said) return;
  for (const key of [...said.answer, ...said.reasoning]) {
    const row = rowOf(view, key);
    if (row) replace(view, { kind: 'void', key, at: row.at });
    if (view.streaming === key) view.streaming = null;
  }
  // What was confirmed is said again and gets rows of its own.
  view.messages.delete(message);
}

function useTool(view: SessionView, event: Extract<Event, { type: 'tool_call' | 'tool_update' }>): void {
  const key = `t${event.tool_call_id}`;
  const before = rowOf(view, key);
  if (!event.parent_tool_call_id) {
    if (!before) delivered(view, event, view.queue.calling(event.tool_call_id));
    if (event.tool_status === 'complete' || event.tool_status === 'error') view.queue.called(event.tool_call_id);
  }
  const call = {
    tool_call_id: event.tool_call_id,
    tool_name: event.tool_name,
    tool_title: event.tool_title,
    tool_status: event.tool_status,
    normalized: event.normalized,
    elapsed_seconds: event.elapsed_seconds,
  };
  if (before?.kind === 'tool') {
    replace(view, { ...before, call, until: event.at });
    return;
  }
  settle(view, event);
  append(view, event, {
    kind: 'tool',
    key,
    at: event.at,
    until: event.at,
    call,
    record: view.records.get(event.tool_call_id) ?? null,
    waiting: view.open.some((o) => o.kind === 'permission' && o.request.tool_call_id === event.tool_call_id),
    children: [],
  });
}

function record(view: SessionView, call: string, next: PermissionRecord): void {
  view.records.set(call, next);
  const row = rowOf(view, `t${call}`);
  if (row?.kind === 'tool')
    replace(view, { ...row, record: next, waiting: next.resolved_at === null } satisfies ToolRow);
}

function close(view: SessionView, pending: string, change: Partial<PermissionRecord>): void {
  const call = view.asked.get(pending);
  view.open = view.open.filter((o) => o.id !== pending);
  const before = call ? view.records.get(call) : undefined;
  if (call && before) record(view, call, { ...before, ...change });
}

/** How far back the answer that a failed turn ends with can stand. */
const NEAR = 40;

/** An API error comes as an answer too (PROTOCOL 10); the row of the error says it, so the answer's keeps its place and is empty. */
function unsay(view: SessionView, error: string, message: string | null): void {
  for (let at = view.rows.length - 1, turns = 0; at >= Math.max(0, view.rows.length - NEAR); at--) {
    const row = view.rows[at];
    if (!row || (row.kind === 'prompt' && !row.synthetic) || row.kind === 'error') return;
    if (row.kind === 'turn' && ++turns > 1) return;
    if (row.kind !== 'answer') continue;
    if (message === null ? row.text.read().trim() !== error.trim() : row.message !== message) continue;
    replace(view, { kind: 'void', key: row.key, at: row.at });
    wentWrong(view, at, row.at);
    return;
  }
}

/** What seemed to be the end of a retry was the news that it failed. */
function wentWrong(view: SessionView, before: number, at: string): void {
  const row = view.rows.slice(Math.max(0, before - NEAR), before).findLast((one) => one.kind === 'notice');
  if (row?.kind === 'notice' && row.notice === 'api_retry' && row.over?.at === at)
    replace(view, { ...row, over: { at, by: 'error' } });
}

function delivered(view: SessionView, event: Event, prompts: Queued[]): void {
  note(view, prompts, 'delivered', event.at);
}

function note(view: SessionView, prompts: Queued[], state: 'delivered' | 'returned', at: string): void {
  for (const { key } of prompts) {
    const row = rowOf(view, key);
    if (row?.kind === 'prompt') replace(view, { ...row, queue: { state, at } });
  }
}

function startTurn(view: SessionView, event: Event, prompt: string | null): void {
  // A prompt sent while a turn runs belongs to what comes; the running turn keeps its start.
  if (view.turn.startedAt !== null) {
    view.turn.prompt ??= prompt;
    return;
  }
  delivered(view, event, view.queue.begins());
  view.turn = {
    ...view.turn,
    startedAt: event.at,
    contextAtStart: view.context?.context_window_used ?? 0,
    files: [],
    diff: '',
    prompt,
  };
}

function completeTurn(view: SessionView, event: Event, data: TurnSummary): void {
  settle(view, event);
  const { number, files, diff } = view.turn;
  view.turns.push({ number, at: event.at, data, files, diff });
  view.queue.ends();
  append(view, event, {
    kind: 'turn',
    key: `c${event.seq}`,
    at: event.at,
    number,
    data,
    files: files.length,
    added: files.reduce((n, f) => n + f.added, 0),
    removed: files.reduce((n, f) => n + f.removed, 0),
  });
  view.turn = {
    number: number + 1,
    startedAt: null,
    contextAtStart: view.context?.context_window_used ?? 0,
    files: [],
    diff: '',
    prompt: null,
  };
  // No text of a finished turn is said again.
  view.messages.clear();
}

function givenBack(data: unknown): { text: string; uuid: string | null; images: PromptImage[] } {
  const given = data && typeof data === 'object' ? (data as Record<string, unknown>) : {};
  const images = Array.isArray(given.images) ? given.images.filter(isImage) : [];
  const word = (value: unknown) => (typeof value === 'string' ? value : null);
  return { text: word(given.text) ?? '', uuid: word(given.uuid), images };
}

function isImage(value: unknown): value is PromptImage {
  return (
    value !== null &&
    typeof value === 'object' &&
    'data' in value &&
    typeof value.data === 'string' &&
    'media_type' in value &&
    typeof value.media_type === 'string'
  );
}
