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
import { Held, throughOf } from './journal';
import { textOf } from './fields';
import { readLimits, type Limit } from './limits';
import { hear, takeNotice } from './notices';
import { close, record, useTool } from './calls';
import { unsay } from './failures';
import { append, type Place } from './places';
import { leaveBehind, resumed } from './resumes';
import type { OpenQuestion, PermissionRecord, Row } from './rows';
import { Queue } from './queue';
import { discard, say, settle, takenBack } from './speech';
import { endAll, endCall, follow, followNotice, type Task } from './tasks';
import { breakOff, completeTurn, delivered, givenBack, note, startTurn } from './turns';

/** A finished turn's figures and what it changed. */
export type Turn = { number: number; at: string; data: TurnSummary; files: ChangedFile[]; diff: string };

export { outermost, rowOf } from './places';

export type SessionView = {
  rows: Row[];
  places: Map<string, Place>;
  /** Rises when rows come to stand elsewhere than at the end. */
  shape: number;
  /** Rows that were replaced since whoever draws the view last looked. */
  touched: Set<string>;
  /** The first number that is loaded, and whether the journal has more before it and behind `lastSeq`. */
  from: number;
  earlier: boolean;
  later: boolean;
  /** Turns that ended before `from`, and what stood there. */
  turnsBefore: number;
  standing: Event[];
  /** What the view was made of from `from` on. */
  held: Held;
  /** The newest events, for the inspector. */
  log: Event[];
  lastSeq: number;
  cliSession: string | null;
  origin: SessionOrigin | null;
  /** The process that runs has said that it resumes. */
  resumed: boolean;
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
  /** Since when each todo is worked on, by its id. */
  todosSince: ReadonlyMap<string, string>;
  tasks: Map<string, Task>;
  /** Calls that the turn waits for and that are tasks of their own: by call, the task. */
  waited: Map<string, string>;
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
    shape: 0,
    touched: new Set(),
    from: 1,
    earlier: false,
    later: false,
    turnsBefore: 0,
    standing: [],
    held: new Held(),
    log: [],
    lastSeq: 0,
    cliSession: null,
    origin: null,
    resumed: false,
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
    todosSince: new Map(),
    tasks: new Map(),
    waited: new Map(),
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
  view.held.push(event);
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
      if (event.data.session_status === 'resumed') resumed(view, event);
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
        uuid: event.uuid,
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
      endCall(view.tasks, view.waited, event, event.at);
      break;
    case 'todos':
      view.todos = event.items;
      view.todosAt = event.at;
      view.todosSince = new Map(
        event.items.flatMap(({ id, status }) =>
          id && status === 'in_progress' ? [[id, view.todosSince.get(id) ?? event.at]] : [],
        ),
      );
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
      if (event.state === 'ended') view.resumed = false;
      if (event.state === 'running') startTurn(view, event, null);
      else settle(view, event);
      break;
    case 'task_started':
    case 'task_progress':
    case 'task_notification':
      follow(view.tasks, event);
      if (event.type === 'task_started' && event.is_backgrounded === false && event.tool_use_id && event.task_id)
        view.waited.set(event.tool_use_id, event.task_id);
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
      if (event.kind === 'retried_from') leaveBehind(view, event, textOf(event.data, 'message_uuid'));
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
      view.resumed = false;
      endAll(view.tasks, event.at);
      breakOff(view);
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
