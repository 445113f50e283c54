// Every tool in every state: as the recordings have it (`record.mjs` picks them), and made up where none of them does.
// Each state has an id that stays, so that it can be opened, photographed and tested alone.
import type { Event, NormalizedPayload, ToolCall } from '../../bindings/bindings';
import type { Task } from '../../session/tasks';
import type { Row as SessionRow, ToolRow } from '../../session/rows';
import { apply, emptyView } from '../../session/view';
import { reasonOf, type Kind } from '../detail';
import { recordState } from '../record';
import { agent, asked, call, type Row } from './makers';
import { empties, huges } from './odd';
import recorded from './recorded.jsonl?raw';

export const stateNames = [
  'running',
  'waiting',
  'complete',
  'error',
  'denied',
  'interrupted',
  'huge',
  'empty',
  'nested',
  'read-only',
] as const;
export type StateName = (typeof stateNames)[number];

export type ToolState = {
  id: string;
  kind: Kind;
  tool: string;
  state: StateName;
  /** The recording; null: made up. */
  from: string | null;
  row: Row;
  /** There is no window around it that opens anything: a conversation of a terminal, or one that is told elsewhere. */
  readOnly?: boolean;
  tasks?: Map<string, Task>;
};

type Recorded = { from: string; events: Event[] };

const calls: Recorded[] = recorded
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line) as Recorded);

/** The names of the tools that the recordings hold. */
export const recordedTools: ReadonlySet<string> = new Set(
  calls.flatMap(({ events }) => events.flatMap((event) => (event.type === 'tool_call' ? [event.tool_name] : []))),
);

function slug(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

export const toolStates: ToolState[] = (() => {
  const found = [...fromRecordings()];
  const has = (kind: Kind, state: StateName) => found.some((one) => one.kind === kind && one.state === state);
  const kinds = [...new Set(found.map((one) => one.kind))];
  for (const kind of kinds)
    for (const state of stateNames) if (!has(kind, state)) found.push(...madeUp(kind, state, found));
  const used = new Map<string, number>();
  return found.map((one) => {
    const count = (used.get(one.id) ?? 0) + 1;
    used.set(one.id, count);
    const id = count === 1 ? one.id : `${one.id}-${count}`;
    return { ...one, id, row: withId(one.row, id) };
  });
})();

/** Rows of different states are different rows. */
function withId(row: Row, id: string): Row {
  const nested = row.nested?.map((inner, at) => withId(inner, `${id}.${at + 1}`));
  return { ...row, ...(nested ? { nested } : {}), call: { ...row.call, tool_call_id: id } };
}

function* fromRecordings(): Generator<ToolState> {
  const seen = new Set<string>();
  for (const { from, events } of calls) {
    const first = events.findIndex((event) => event.type === 'tool_call');
    const own = events[first];
    // Questions about what a subagent does are its own calls'.
    const question = events.findIndex(
      (event) =>
        event.type === 'permission_request' && own?.type === 'tool_call' && event.tool_call_id === own.tool_call_id,
    );
    const whole = played(events, from);
    const tool = whole.row.call.tool_name;
    // How a call begins looks the same in all of them.
    if (!seen.has(`${tool} running`))
      yield { ...played(events.slice(0, first + 1), from), state: 'running', id: `${slug(tool)}-running` };
    if (question !== -1 && !seen.has(`${tool} waiting`)) {
      seen.add(`${tool} waiting`);
      yield { ...played(events.slice(0, question + 1), from), state: 'waiting', id: `${slug(tool)}-waiting` };
    }
    seen.add(`${tool} running`);
    yield whole;
  }
}

function played(events: readonly Event[], from: string): ToolState {
  const view = emptyView();
  for (const event of events) apply(view, event);
  const row = view.rows.find((one): one is ToolRow => one.kind === 'tool');
  if (!row) throw new Error(`no call in ${from}`);
  const state = stateOf(row);
  const { kind } = row.call.normalized;
  return {
    id: `${slug(row.call.tool_name)}-${state}`,
    kind,
    tool: row.call.tool_name,
    state,
    from,
    row: rowOf(row),
    tasks: view.tasks,
  };
}

function stateOf({ call, record, waiting }: ToolRow): StateName {
  if (waiting) return 'waiting';
  if (call.tool_status === 'running') return 'running';
  if (call.tool_status === 'complete') return 'complete';
  const said = reasonOf(call) ?? '';
  if (record?.cancelled || /^(\[Request interrupted|The user doesn't want to proceed)/.test(said)) return 'interrupted';
  return recordState(record) === 'denied' ? 'denied' : 'error';
}

function rowOf(row: ToolRow): Row {
  const inner = row.children.filter((child: SessionRow): child is ToolRow => child.kind === 'tool').map(rowOf);
  return {
    call: row.call,
    waiting: row.waiting,
    ...(row.record ? { record: row.record } : {}),
    ...(inner.length > 0 ? { nested: inner } : {}),
    ...(row.call.tool_status === 'running' ? {} : { times: { at: row.at, until: row.until } }),
  };
}

/** What the recordings do not hold of a kind, from what they do. */
function madeUp(kind: Kind, state: StateName, found: ToolState[]): ToolState[] {
  const of = (wanted: StateName) => found.find((one) => one.kind === kind && one.state === wanted);
  const [began, ended] = [of('running'), of('complete') ?? of('error')];
  if (!began || !ended) return [];
  const make = (from: ToolState, row: Row, extra: Partial<ToolState> = {}): ToolState[] => [
    { ...from, id: `${slug(kind)}-${state}`, state, from: null, row, ...extra },
  ];
  const failed = (text: string): ToolCall => ({
    ...began.row.call,
    tool_status: 'error',
    normalized: withReason(began.row.call.normalized, text),
  });
  switch (state) {
    case 'running':
    case 'complete':
      return [];
    case 'waiting':
      return make(began, { ...began.row, waiting: true });
    case 'error':
      return make(began, { call: failed('It did not work: the server said no.\nAsked twice.') });
    case 'denied':
      return make(began, {
        call: failed('Not this one.'),
        record: asked(12, { behavior: 'deny', message: 'Not this one.' }),
      });
    case 'interrupted':
      return make(began, {
        call: failed('[Request interrupted by user for tool use]'),
        record: asked(3, { behavior: null, by: null, cancelled: true, resolved_at: null }),
      });
    case 'huge':
      return huges[kind].map(({ tool, payload }) => ({
        ...ended,
        tool,
        id: `${slug(tool)}-huge`,
        state,
        from: null,
        row: { call: call(tool, payload) },
      }));
    case 'empty':
      return make(ended, { call: { ...ended.row.call, tool_status: 'complete', normalized: empties[kind] } });
    case 'nested':
      return make(ended, {
        call: call(
          'Agent',
          agent({
            description: 'Look at it more closely',
            prompt: 'Look at it.',
            tool_use_count: 1,
            duration_ms: 4000,
          }),
        ),
        nested: [began.row, ended.row],
      });
    case 'read-only':
      return make(ended, ended.row, { readOnly: true });
  }
}

function withReason(payload: NormalizedPayload, text: string): NormalizedPayload {
  switch (payload.kind) {
    case 'shell_exec':
      return {
        ...payload,
        shell_exec: {
          ...payload.shell_exec,
          output: { exit_code: null, stdout: text, stderr: '', interrupted: false, truncated: false },
        },
      };
    case 'http_request':
      return { ...payload, http_request: { ...payload.http_request, response: text, is_error: true } };
    case 'mcp_tool':
      return { ...payload, mcp_tool: { ...payload.mcp_tool, output: text } };
    case 'generic':
      return { ...payload, generic: { ...payload.generic, output: text } };
    case 'misc':
      return { ...payload, misc: { ...payload.misc, details: { ...(payload.misc.details as object), output: text } } };
    default: {
      const detail = (payload as unknown as Record<string, object>)[payload.kind];
      return { ...payload, [payload.kind]: { ...detail, error: text } } as unknown as NormalizedPayload;
    }
  }
}
