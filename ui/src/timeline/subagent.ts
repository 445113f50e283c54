// What the line behind a subagent's rows says of it: how it went, what it did, what it took. Pure.
import type { ToolRow } from '../session/rows';
import type { Task } from '../session/tasks';
import { numberOf } from '../session/fields';
import { between } from '../shared/time';

export type AgentState = 'running' | 'done' | 'failed' | 'stopped';

export type Summary = {
  state: AgentState;
  rows: number;
  tools: number;
  tokens: number | null;
  /** Null while it runs. */
  ms: number | null;
  /** What it came back with, where its last row does not say it. */
  output: string | null;
};

/** `calls`: how many of its rows are calls. */
export function summaryOf(row: ToolRow, calls: number, task: Task | null): Summary {
  const payload = row.call.normalized;
  const detail = payload.kind === 'subagent_task' ? payload.subagent_task : null;
  const state = stateOf(row, detail?.status ?? null, task);
  const used = numberOf(task?.usage, 'total_tokens');
  return {
    state,
    rows: row.children.length + row.dropped,
    tools: detail?.tool_use_count ?? numberOf(task?.usage, 'tool_uses') ?? calls,
    tokens: detail?.total_tokens ?? used,
    ms:
      state === 'running'
        ? null
        : (detail?.duration_ms ??
          numberOf(task?.usage, 'duration_ms') ??
          between(row.at, task?.over ? task.changed_at : row.until)),
    output: row.call.tool_status === 'error' || repeats(row, detail?.output) ? null : (detail?.output ?? null),
  };
}

/** Whether its rows begin with what it was asked, as its call says it. */
export function tellsWhatItWasAsked(row: ToolRow): boolean {
  const payload = row.call.normalized;
  const [first] = row.children;
  if (payload.kind !== 'subagent_task' || first?.kind !== 'prompt' || row.dropped > 0) return false;
  return first.text.trim() === payload.subagent_task.prompt?.trim();
}

/** Whether the words that it came back with are those that it said last. */
function repeats(row: ToolRow, output: string | null | undefined): boolean {
  const last = row.children.at(-1);
  return last?.kind === 'answer' && output != null && last.text.read().trim() === output.trim();
}

function stateOf(row: ToolRow, status: string | null, task: Task | null): AgentState {
  // One in the background goes on behind the end of its call.
  if (task && !task.over) return 'running';
  if (task?.status === 'failed') return 'failed';
  if (task?.status === 'stopped' || task?.status === 'killed') return 'stopped';
  if (row.call.tool_status === 'running' || (status === 'async_launched' && task === null)) return 'running';
  return row.call.tool_status === 'error' ? 'failed' : 'done';
}
