// Notices in a view. Those that tell of one thing as it goes on (a hook, a retry, a question of a server) share one row,
// which each of them brings up to date; a row that tells of a wait ends when something is heard again.
import type { Event } from '../bindings/bindings';
import { readElicitation } from './elicitation';
import { fieldOf, textOf } from './fields';
import { append, replace, rowOf, type Places } from './places';
import type { NoticeRow, OpenQuestion } from './rows';

type Notice = Extract<Event, { type: 'notice' }>;

export type Noticed = Places & {
  open: OpenQuestion[];
  /** What goes on, and the row that tells of it. */
  threads: Map<string, string>;
};

/** What goes on until something is heard. */
const WAITS = ['retry', 'silence'];

export function takeNotice(view: Noticed, event: Notice): void {
  if (event.kind === 'elicitation') ask(view, event);
  if (event.kind === 'elicitation_resolved') {
    const id = textOf(event.data, 'request_id');
    view.open = view.open.filter((one) => one.id !== id);
  }
  const thread = threadOf(event.kind, event.data);
  const before = thread === null ? undefined : rowOf(view, view.threads.get(thread) ?? '');
  if (thread !== null && before?.kind === 'notice' && !isFresh(before, event)) {
    replace(view, joined(before, event));
  } else {
    const key = `n${event.seq}`;
    append(view, event, {
      kind: 'notice',
      key,
      at: event.at,
      heard: event.at,
      over: null,
      notice: event.kind,
      text: event.text,
      data: event.data,
    });
    if (thread !== null) view.threads.set(thread, key);
    const address = textOf(event.data, 'elicitation_id');
    if (event.kind === 'elicitation' && address !== null) view.threads.set(`address:${address}`, key);
  }
  if (thread !== null && isLast(event)) view.threads.delete(thread);
}

/** Ends the waits, if that event shows that the session lives; the end of a turn ends all that went on in it. */
export function hear(view: Noticed, event: Event): void {
  if (view.threads.size === 0) return;
  switch (event.type) {
    case 'complete':
    case 'session_ended':
      for (const [thread, key] of view.threads) if (!isQuestion(thread)) end(view, thread, key, event);
      break;
    case 'message_chunk':
    case 'reasoning':
    case 'tool_call':
    case 'tool_update':
    case 'task_progress':
    case 'task_notification':
    case 'permission_request':
    case 'error':
      for (const thread of WAITS) {
        const key = view.threads.get(thread);
        if (key !== undefined) end(view, thread, key, event);
      }
      break;
    default:
      break;
  }
}

function end(view: Noticed, thread: string, key: string, event: Event): void {
  const row = rowOf(view, key);
  if (row?.kind === 'notice') replace(view, { ...row, over: { at: event.at, by: event.type } });
  view.threads.delete(thread);
}

const isQuestion = (thread: string) => /^(elicitation|address):/.test(thread);

function ask(view: Noticed, event: Notice): void {
  const elicitation = readElicitation(event.text, event.data);
  if (!elicitation || view.open.some((one) => one.id === elicitation.request_id)) return;
  view.open = [
    ...view.open,
    {
      kind: 'elicitation',
      id: elicitation.request_id,
      elicitation,
      at: event.at,
      parent: event.parent_tool_call_id ?? null,
    },
  ];
}

function threadOf(kind: string, data: unknown): string | null {
  const by = (prefix: string, name: string) => {
    const id = textOf(data, name);
    return id === null ? null : `${prefix}:${id}`;
  };
  switch (kind) {
    case 'hook_started':
    case 'hook_progress':
    case 'hook_response':
      return by('hook', 'hook_id');
    case 'elicitation':
    case 'elicitation_resolved':
      return by('elicitation', 'request_id');
    case 'elicitation_complete':
      return by('address', 'elicitation_id');
    case 'plugin_install':
      return by('plugin', 'name');
    case 'auth_status':
      return 'sign-in';
    case 'api_retry':
      return 'retry';
    case 'silent_turn':
      return 'silence';
    case 'status':
      return fieldOf(data, 'status') === 'compacting' || textOf(data, 'compact_result') !== null ? 'compaction' : null;
    case 'compact_boundary':
      return 'compaction';
    default:
      return null;
  }
}

/** Whether it begins anew what the row told of. */
function isFresh(row: NoticeRow, event: Notice): boolean {
  switch (event.kind) {
    case 'status':
      return fieldOf(event.data, 'status') === 'compacting';
    case 'compact_boundary':
      return row.notice === 'compact_boundary';
    case 'hook_started':
    case 'silent_turn':
    case 'elicitation':
      return true;
    default:
      return false;
  }
}

/** Whether nothing more comes of it. */
function isLast({ kind, data }: Notice): boolean {
  switch (kind) {
    case 'hook_response':
    case 'elicitation_complete':
      return true;
    case 'auth_status':
      return fieldOf(data, 'isAuthenticating') !== true;
    case 'plugin_install':
      return textOf(data, 'status') !== 'started';
    default:
      return false;
  }
}

function joined(row: NoticeRow, event: Notice): NoticeRow {
  const data = { ...asRecord(row.data), ...asRecord(event.data) };
  switch (event.kind) {
    case 'elicitation_resolved':
      return { ...row, notice: event.kind, heard: event.at, data };
    case 'elicitation_complete':
      return { ...row, data: { ...data, completed_at: event.at } };
    case 'status':
      // The boundary says more than that it went well.
      if (row.notice === 'compact_boundary') return { ...row, data };
      break;
    default:
      break;
  }
  return { ...row, notice: event.kind, text: event.text, heard: event.at, data };
}

function asRecord(value: unknown): Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
