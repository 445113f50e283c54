// Makes calls for the gallery, shaped as the events have them.
import type { NormalizedPayload, ToolCall, ToolStatus } from '../../bindings/bindings';
import type { PermissionRecord } from '../../session/rows';

export const workspace = '/home/dev/code/ferry';

export type Row = {
  call: ToolCall;
  open?: boolean;
  waiting?: boolean;
  record?: PermissionRecord;
  /** Seconds from the call to its last event. */
  took?: number;
  /** When it began and was last heard of, as a recording has it. */
  times?: { at: string; until: string };
  nested?: Row[];
};

let next = 1;
export function call(
  tool: string,
  normalized: NormalizedPayload,
  status: ToolStatus = 'complete',
  elapsed?: number,
): ToolCall {
  const made: ToolCall = {
    tool_call_id: `toolu_${String(next++).padStart(2, '0')}`,
    tool_name: tool,
    tool_title: tool,
    tool_status: status,
    normalized,
  };
  return elapsed === undefined ? made : { ...made, elapsed_seconds: elapsed };
}

export const asked = (seconds: number, over: Partial<PermissionRecord> = {}): PermissionRecord => ({
  asked_at: '2026-03-02T14:05:00.000Z',
  resolved_at: new Date(Date.parse('2026-03-02T14:05:00.000Z') + seconds * 1000).toISOString(),
  behavior: 'allow',
  by: 'user',
  cancelled: false,
  edited: false,
  ...over,
});

export const read = (
  path: string,
  over: Partial<Extract<NormalizedPayload, { kind: 'read_file' }>['read_file']> = {},
): NormalizedPayload => ({
  kind: 'read_file',
  read_file: { file_path: `${workspace}/${path}`, offset: null, limit: null, output: null, ...over },
});
export const modify = (
  path: string,
  diff: string | null,
  over: Partial<Extract<NormalizedPayload, { kind: 'modify_file' }>['modify_file']> = {},
): NormalizedPayload => ({
  kind: 'modify_file',
  modify_file: {
    file_path: `${workspace}/${path}`,
    mutations:
      diff === null
        ? []
        : [{ type: 'patch', content: null, old_content: null, new_content: null, diff, start_line: 38 }],
    ...over,
  },
});
export const shell = (
  command: string,
  over: Partial<Extract<NormalizedPayload, { kind: 'shell_exec' }>['shell_exec']> = {},
): NormalizedPayload => ({
  kind: 'shell_exec',
  shell_exec: { command, work_dir: null, description: null, timeout: null, background: false, output: null, ...over },
});
export const output = (stdout: string, exit: number | null = 0) => ({
  exit_code: exit,
  stdout,
  stderr: '',
  interrupted: false,
  truncated: false,
});
export const search = (pattern: string, files: string[], content: string | null): NormalizedPayload => ({
  kind: 'code_search',
  code_search: {
    query: null,
    pattern,
    path: null,
    glob: null,
    output: { files, file_count: files.length, truncated: false, content },
  },
});
export const agent = (
  over: Partial<Extract<NormalizedPayload, { kind: 'subagent_task' }>['subagent_task']>,
): NormalizedPayload => ({
  kind: 'subagent_task',
  subagent_task: {
    description: null,
    prompt: null,
    subagent_type: null,
    status: null,
    agent_id: null,
    duration_ms: null,
    total_tokens: null,
    tool_use_count: null,
    output: null,
    ...over,
  },
});

export const questions = [
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
