// Background work and subagents (PROTOCOL 8): what runs, what it does, what came of it. What arrives after the end changes
// neither the end nor its time.
import type { Event, TaskFields, ToolCall } from '../bindings/bindings';

/** The last word on each of the wire's fields. */
export type Task = TaskFields & {
  key: string;
  /** What it does just now, where the CLI says so. */
  doing: string | null;
  started_at: string;
  changed_at: string;
  over: boolean;
  /** Runs of it that are over: what comes late of them begins nothing. */
  past?: string[];
};

type TaskEvent = Event & TaskFields;

export function follow(tasks: Map<string, Task>, event: TaskEvent): void {
  const key = event.task_id ?? event.tool_use_id ?? event.run_id ?? `seq${event.seq}`;
  const known = tasks.get(key);
  const run = event.run_id ?? null;
  const other = run !== null && known?.run_id != null && run !== known.run_id;
  // The same id in another run is a new beginning; what comes late of an earlier one is none.
  const again = event.type === 'task_started' && known?.over === true && other && !known.past?.includes(run);
  if (other && !again) return;
  const before = again ? undefined : known;
  const told = fieldsOf(event);
  if (before?.over) {
    if (event.type !== 'task_notification') return;
    // The report may come behind the end.
    const { summary, summary_is_report, usage, output_file, error } = told;
    tasks.set(key, { ...before, ...said({ summary, summary_is_report, usage, output_file, error }) });
    return;
  }
  if (event.type === 'task_progress' && before) {
    told.description = undefined;
  }
  tasks.set(key, {
    ...(before ?? { doing: null, past: again ? [...(known.past ?? []), ...(known.run_id ? [known.run_id] : [])] : [] }),
    ...said(told),
    key,
    doing: event.type === 'task_progress' ? (event.description ?? before?.doing ?? null) : (before?.doing ?? null),
    started_at: before?.started_at ?? event.at,
    changed_at: event.at,
    over: event.type === 'task_notification' || isEnd(event.status),
  });
}

/** What no message of the task itself tells: it is no event of a task, and says the same. */
export function followNotice(tasks: Map<string, Task>, event: Event & { kind: string; data: unknown }): void {
  const told = (typeof event.data === 'object' && event.data !== null ? event.data : {}) as TaskFields;
  const { seq, at } = event;
  if (event.kind === 'background_tasks_changed' && told.task_id)
    follow(tasks, { ...told, seq, at, type: 'task_started' });
  if (event.kind === 'task_updated' && told.task_id && isEnd(told.status))
    follow(tasks, { ...told, seq, at, type: 'task_notification' });
}

/** The result of a call that the turn waited for ends its task, whether or not the CLI says so, too. */
export function endCall(tasks: Map<string, Task>, waited: Map<string, string>, call: ToolCall, at: string): void {
  if (waited.size === 0 || call.tool_status === 'running') return;
  const key = waited.get(call.tool_call_id);
  if (key === undefined) return;
  waited.delete(call.tool_call_id);
  const task = tasks.get(key);
  const detail = call.normalized;
  const moved = detail.kind === 'shell_exec' && (detail.shell_exec.background || detail.shell_exec.task_id != null);
  if (!task || !isForeground(task) || moved) return;
  if (detail.kind === 'subagent_task' && detail.subagent_task.status === 'async_launched') return;
  const status = call.tool_status === 'error' ? 'failed' : 'completed';
  tasks.set(key, { ...task, status, changed_at: at, over: true });
}

/** The process is gone, and what it ran with it. */
export function endAll(tasks: Map<string, Task>, at: string): void {
  for (const [key, task] of tasks) {
    if (!task.over) tasks.set(key, { ...task, status: 'ended with the session', changed_at: at, over: true });
  }
}

/**
 * Those that are activity beside the turn: what watches in the background for as long as the session lives is none, and
 * what the turn waits for is the turn's.
 */
function runningTasks(tasks: Map<string, Task>): Task[] {
  return [...tasks.values()].filter((task) => !task.over && task.ambient !== true && !isForeground(task));
}

/** The task that a call began; the newest, where a call is begun again. */
export function taskOf(tasks: Map<string, Task>, toolCallId: string): Task | undefined {
  let found: Task | undefined;
  for (const task of tasks.values()) if (task.tool_use_id === toolCallId) found = task;
  return found;
}

/** A call that the turn waits for; it can be moved to the background. */
export function isForeground(task: Task): boolean {
  return !task.over && task.is_backgrounded === false;
}

/** Whether it writes to a file of its own that can be read; subagents do not. */
export function hasOutput(task: Task): boolean {
  return task.task_id != null && task.subagent_type == null && task.task_type !== 'local_agent';
}

export function hasFailed(task: Task): boolean {
  return task.over && task.status === 'failed';
}

export type TaskState = 'running' | 'done' | 'failed' | 'stopped' | 'ended';

export function stateOf(task: Task): TaskState {
  if (!task.over) return 'running';
  if (task.status === 'failed') return 'failed';
  if (task.status === 'stopped' || task.status === 'killed') return 'stopped';
  return task.status === 'completed' ? 'done' : 'ended';
}

/** Those that run, the newest first; those that are over by when they ended, the last first. */
export function ordered(tasks: Map<string, Task>): { running: Task[]; over: Task[] } {
  const all = [...tasks.values()].reverse();
  return {
    running: all.filter((task) => !task.over),
    over: all.filter((task) => task.over).sort((a, b) => (a.changed_at < b.changed_at ? 1 : -1)),
  };
}

/** Its kind in a word: the subagent's type, `Bash`, `Agent`, `Workflow`. */
export function kindOf(task: Task): string {
  const names: Record<string, string> = {
    local_bash: 'Bash',
    bash: 'Bash',
    local_agent: 'Agent',
    local_workflow: 'Workflow',
  };
  return task.subagent_type ?? task.workflow_name ?? (task.task_type ? (names[task.task_type] ?? task.task_type) : '');
}

export function used(task: Task, name: 'total_tokens' | 'tool_uses'): number | null {
  const usage = task.usage;
  const value = usage && typeof usage === 'object' ? (usage as Record<string, unknown>)[name] : undefined;
  return typeof value === 'number' ? value : null;
}

/** How many run, since when the oldest does, what they used so far. */
export function runningSummary(tasks: Map<string, Task>): { count: number; since: string; tokens: number } | null {
  const running = runningTasks(tasks);
  const [first, ...rest] = running;
  if (!first) return null;
  return {
    count: running.length,
    since: rest.reduce((oldest, task) => (task.started_at < oldest ? task.started_at : oldest), first.started_at),
    tokens: running.reduce((n, task) => n + (used(task, 'total_tokens') ?? 0), 0),
  };
}

function isEnd(status: string | null | undefined): boolean {
  return status === 'completed' || status === 'failed' || status === 'killed' || status === 'stopped';
}

function fieldsOf(event: TaskEvent): TaskFields {
  return {
    task_id: event.task_id,
    run_id: event.run_id,
    tool_use_id: event.tool_use_id,
    description: event.description,
    task_type: event.task_type,
    is_backgrounded: event.is_backgrounded,
    ambient: event.ambient,
    subagent_type: event.subagent_type,
    spawn_depth: event.spawn_depth,
    parent_task_id: event.parent_task_id,
    prompt: event.prompt,
    workflow_name: event.workflow_name,
    workflow_progress: event.workflow_progress,
    usage: event.usage,
    last_tool_name: event.last_tool_name,
    summary: event.summary,
    summary_is_report: event.summary_is_report,
    status: event.status,
    output_file: event.output_file,
    error: event.error,
    reason: event.reason,
  };
}

function said(fields: TaskFields): TaskFields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}
