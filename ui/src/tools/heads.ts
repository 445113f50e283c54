// What the one line of a tool row says, for each kind: icon, verb, what it is about, and the facts at its right. Pure.
import type { Mutation, NormalizedPayload, ToolCall } from '../bindings/bindings';
import { parseDiff } from '../shared/diff';
import type { IconName } from '../shared/icons';
import { within } from '../shared/paths';
import { bytes, count, duration, grouped, plural } from '../shared/time';
import { detailOf, firstLine, isRecord, type Detail, type Kind } from './detail';
import { miscTools, partsOf } from './shapes/misc';
import { readCells } from './shapes/notebook';
import { hitCount } from './shapes/web';

export type Fact = { text: string; tone?: 'failed' } | { added: number; removed: number };

export type Head = {
  icon: IconName;
  verb: string;
  arg: string;
  /** The argument is code: a path, a command, a pattern. */
  code: boolean;
  facts: Fact[];
  /** There is something to unfold. */
  body: boolean;
};

type HeadMaker<K extends Kind> = (detail: Detail<K>, call: ToolCall, workspace: string) => Head;

const heads: { [K in Kind]: HeadMaker<K> } = {
  read_file: (d, call, workspace) => {
    const facts: Fact[] = [];
    if (d.output?.image) facts.push({ text: 'image' });
    else if (d.output) {
      if (d.offset !== null) facts.push({ text: `from line ${grouped(d.offset)}` });
      const cells = readCells(d.output.content);
      // The CLI counts the empty line behind the last one too; what is left out here only it has counted.
      const lines = (call.slimmed ? d.output.line_count : null) ?? lineCount(d.output.content);
      facts.push({ text: cells ? plural(cells.length, 'cell') : plural(lines, 'line') });
    }
    return {
      icon: 'file',
      verb: call.tool_name,
      arg: within(d.file_path, workspace),
      code: true,
      facts,
      body: d.output !== null,
    };
  },
  modify_file: (d, call, workspace) => {
    const changed = lineCounts(d.mutations);
    const facts: Fact[] = call.tool_status === 'error' ? [] : [changed];
    const made = d.mutations.some((m) => m.type === 'create');
    if (made && call.tool_status !== 'error') facts.push({ text: 'new file' });
    return {
      icon: made ? 'newFile' : 'pencil',
      verb: call.tool_name,
      arg: within(d.file_path, workspace),
      code: true,
      facts,
      body: d.mutations.length > 0,
    };
  },
  shell_exec: (d, call) => {
    const facts: Fact[] = [];
    const about = { BashOutput: 'Shell output', KillShell: 'Stop shell' }[call.tool_name];
    if (about && d.task_id) {
      const exit = d.output?.exit_code ?? null;
      if (exit !== null && exit !== 0) facts.push({ text: `exit ${exit}`, tone: 'failed' });
      return { icon: 'terminal', verb: about, arg: d.task_id, code: true, facts, body: d.output !== null };
    }
    if (d.output?.timed_out_ms) facts.push({ text: `timed out after ${duration(d.output.timed_out_ms)}` });
    if (d.background) facts.push({ text: 'in the background' });
    if (d.output?.interrupted) facts.push({ text: 'interrupted', tone: 'failed' });
    const exit = d.output?.exit_code ?? null;
    if (exit !== null && exit !== 0) facts.push({ text: `exit ${exit}`, tone: 'failed' });
    return {
      icon: 'terminal',
      verb: call.tool_name,
      arg: d.command === null ? (d.description ?? '') : firstLine(d.command),
      code: d.command !== null,
      facts,
      body:
        d.output !== null ||
        call.tool_status === 'running' ||
        (d.command ?? '').trim().includes('\n') ||
        (d.command ?? '').length > 80,
    };
  },
  code_search: (d, call, workspace) => {
    const facts: Fact[] = [];
    const where = d.path === null ? '' : ` in ${within(d.path, workspace)}`;
    const [noun, entry] = call.tool_name === 'ToolSearch' ? ['tool', 'tool'] : ['file', 'line'];
    if (d.output) {
      const files = d.output.file_count ?? d.output.files.length;
      const lines = d.output.content === null ? 0 : lineCount(d.output.content);
      if (files === 0 && lines === 0) facts.push({ text: 'nothing found' });
      else if (lines > 0 && files > 0) facts.push({ text: `${plural(lines, entry)} in ${plural(files, noun)}` });
      else facts.push({ text: files > 0 ? plural(files, noun) : plural(lines, entry) });
      if (d.output.truncated) facts.push({ text: 'cut' });
    }
    return {
      icon: 'search',
      verb: call.tool_name,
      arg: `${d.pattern ?? d.query ?? d.glob ?? ''}${where}`.trim(),
      code: true,
      facts,
      body: (d.output?.files.length ?? 0) > 0 || Boolean(d.output?.content),
    };
  },
  http_request: (d) => {
    const facts: Fact[] = [];
    const bad = d.is_error || (d.status ?? 0) >= 400;
    if (d.status !== null) facts.push(bad ? { text: String(d.status), tone: 'failed' } : { text: String(d.status) });
    const hits = d.url === null && !d.is_error ? hitCount(d.response ?? '') : 0;
    if (hits > 0) facts.push({ text: plural(hits, 'hit') });
    else if (d.response && !d.is_error) facts.push({ text: bytes(d.response.length) });
    return {
      icon: 'globe',
      verb: d.url === null ? 'Web search' : d.method && d.method !== 'GET' ? `Fetch ${d.method}` : 'Fetch',
      arg: (d.url ?? d.query ?? '').replace(/^https?:\/\//, ''),
      code: d.url !== null,
      facts,
      body: Boolean(d.response) || (d.url !== null && Boolean(d.query)),
    };
  },
  subagent_task: (d) => {
    const facts: Fact[] = [];
    if (d.status === 'async_launched') facts.push({ text: 'in the background' });
    if (d.tool_use_count) facts.push({ text: plural(d.tool_use_count, 'tool use') });
    if (d.total_tokens) facts.push({ text: `${count(d.total_tokens)} tokens` });
    if (d.duration_ms) facts.push({ text: duration(d.duration_ms) });
    return {
      icon: 'agent',
      verb: d.subagent_type && d.subagent_type !== 'general-purpose' ? `Agent ${d.subagent_type}` : 'Agent',
      arg: d.description ?? firstLine(d.prompt ?? ''),
      code: false,
      facts,
      body: Boolean(d.prompt ?? d.output),
    };
  },
  create_task: (d) => ({
    icon: 'todo',
    verb: 'New todo',
    arg: d.title ?? '',
    code: false,
    facts: [],
    body: Boolean(d.description && d.description !== d.title),
  }),
  manage_todos: (d, call) => {
    const done = d.items.filter((item) => item.status === 'completed').length;
    const one = d.operation === 'update' || d.operation === 'get' ? d.items[0] : undefined;
    const word = one?.status ? todoWord(one.status) : null;
    return {
      icon: 'todo',
      verb: one ? 'Todo' : 'Todos',
      arg: one
        ? (one.description ?? one.active_form ?? (one.id ? `number ${one.id}` : ''))
        : d.items.length === 0
          ? call.tool_status === 'running'
            ? ''
            : 'none'
          : `${done} of ${d.items.length} done`,
      code: false,
      facts: word ? [{ text: word }] : [],
      body: !one && d.items.length > 0,
    };
  },
  show_plan: (d, call) => {
    const facts: Fact[] = [];
    if (d.approved !== null) facts.push({ text: d.approved ? 'approved' : 'not approved' });
    if (d.edited) facts.push({ text: 'changed by you' });
    return {
      icon: 'plan',
      verb: call.tool_name === 'EnterPlanMode' ? 'Plan mode' : 'Plan',
      arg: call.tool_name === 'EnterPlanMode' ? 'from now on' : planTitle(d.plan ?? ''),
      code: false,
      facts,
      body: Boolean(d.plan),
    };
  },
  ask_user: (d) => {
    const first = d.questions[0];
    const answers = isRecord(d.answers) ? Object.keys(d.answers).length : 0;
    return {
      icon: 'ask',
      verb: d.questions.length === 1 ? 'Question' : plural(d.questions.length, 'question'),
      arg: isRecord(first) && typeof first.question === 'string' ? first.question : '',
      code: false,
      facts: answers > 0 ? [{ text: plural(answers, 'answer') }] : [],
      body: d.questions.length > 0,
    };
  },
  mcp_tool: (d) => ({
    icon: 'plug',
    verb: `${d.server}: ${d.tool}`,
    arg: gist(d.input),
    code: true,
    facts: [],
    body: hasContent(d.input) || hasContent(d.output),
  }),
  misc: (d, call) => {
    const look = Object.hasOwn(miscTools, call.tool_name) ? miscTools[call.tool_name] : undefined;
    const body = hasContent(d.details);
    if (!look) return { icon: 'tool', verb: d.label, arg: '', code: false, facts: [], body };
    const parts = partsOf(d.details);
    const notes = (look.notes?.(parts) ?? []).filter((note) => note !== null && note !== '');
    return {
      icon: look.icon,
      verb: look.verb,
      arg: firstLine(look.arg?.(parts) ?? ''),
      code: false,
      facts: notes.map((text) => ({ text: text ?? '' })),
      body,
    };
  },
  generic: (d) => ({
    icon: 'tool',
    verb: d.name,
    arg: gist(d.input),
    code: true,
    facts: [],
    body: hasContent(d.input) || hasContent(d.output),
  }),
};

export function headOf(call: ToolCall, workspace: string): Head {
  const payload = call.normalized;
  const make = heads[payload.kind] as HeadMaker<Kind>;
  return make(detailOf(payload as NormalizedPayload) as Detail<Kind>, call, workspace);
}

/** Lines that a file's changes add and take away. */
export function lineCounts(mutations: Mutation[]): { added: number; removed: number } {
  let [added, removed] = [0, 0];
  for (const m of mutations) {
    if (m.diff !== null) {
      const parsed = parseDiff(m.diff);
      added += parsed.added;
      removed += parsed.removed;
    } else {
      added += lineCount(m.content ?? m.new_content ?? '');
      removed += lineCount(m.old_content ?? '');
    }
  }
  return { added, removed };
}

function todoWord(status: string): string {
  return { completed: 'done', in_progress: 'in progress', pending: 'pending', deleted: 'removed' }[status] ?? status;
}

export function lineCount(text: string): number {
  if (text === '') return 0;
  let n = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) n++;
  return n;
}

/** The first text in an input: usually what the call is about. */
function gist(input: unknown): string {
  if (typeof input === 'string') return firstLine(input);
  if (!isRecord(input)) return '';
  const text = Object.values(input).find((value) => typeof value === 'string' && value.trim() !== '');
  return typeof text === 'string' ? firstLine(text) : '';
}

function hasContent(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return false;
  if (Array.isArray(value)) return value.length > 0;
  return !isRecord(value) || Object.values(value).some(hasContent);
}

/** The first line that says more than that it is a plan. */
function planTitle(plan: string): string {
  const lines = plan.split('\n').map((line) => line.replace(/[*_`#]/g, '').trim());
  return lines.find((line) => line !== '' && line.toLowerCase() !== 'plan') ?? '';
}
