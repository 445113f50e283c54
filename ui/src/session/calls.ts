// Tool calls and what was asked about them.
import type { Event } from '../bindings/bindings';
import { append, replace, rowOf } from './places';
import type { PermissionRecord, ToolRow } from './rows';
import { settle } from './speech';
import { delivered } from './turns';
import type { SessionView } from './view';

export function useTool(view: SessionView, event: Extract<Event, { type: 'tool_call' | 'tool_update' }>): void {
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
    ...(event.slimmed ? { slimmed: event.slimmed } : {}),
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
    dropped: 0,
  });
}

export function record(view: SessionView, call: string, next: PermissionRecord): void {
  view.records.set(call, next);
  const row = rowOf(view, `t${call}`);
  if (row?.kind === 'tool')
    replace(view, { ...row, record: next, waiting: next.resolved_at === null } satisfies ToolRow);
}

export function close(view: SessionView, pending: string, change: Partial<PermissionRecord>): void {
  const call = view.asked.get(pending);
  view.open = view.open.filter((o) => o.id !== pending);
  const before = call ? view.records.get(call) : undefined;
  if (call && before) record(view, call, { ...before, ...change });
}
