// A tool call in words, for who reads without the picture: what was done, what became of it, and the text that came of it.
// Pure.
import type { ToolCall } from '../bindings/bindings';
import type { ToolRow } from '../session/rows';
import { detailOf, firstLine, reasonOf } from '../tools/detail';
import { headOf } from '../tools/heads';
import { diffOf } from '../tools/mutations';
import { readQuestions } from '../tools/questions';
import { asAllowed, askedAbout, isStandIn, recordState, recordWords } from '../tools/record';
import { readFound } from '../tools/shapes/search';
import { plural } from '../shared/time';

/** One sentence: "Edit src/a.rs: done, 3 lines added, 2 removed, allowed by you". */
export function callLine(row: ToolRow, workspace: string): string {
  const call = asAllowed(row.call, row.record);
  const head = headOf(call, workspace);
  const facts = head.facts.map((fact) =>
    'text' in fact ? fact.text : `${plural(fact.added, 'line')} added, ${fact.removed} removed`,
  );
  const asked = recordWords(row.record, askedAbout(call));
  const about = head.arg === '' ? head.verb : `${head.verb} ${head.arg}`;
  return `${about}: ${[stateOf(row), ...facts, ...(asked === null ? [] : [asked])].join(', ')}`;
}

function stateOf({ call, record, waiting }: ToolRow): string {
  if (waiting) return 'waiting for your approval';
  if (call.tool_status === 'running') return 'running';
  const exit = call.normalized.kind === 'shell_exec' ? (call.normalized.shell_exec.output?.exit_code ?? null) : null;
  if (call.tool_status === 'complete') return exit === null || exit === 0 ? 'done' : 'ended';
  if (record?.cancelled) return 'withdrawn';
  if (recordState(record) === 'denied') return 'denied';
  const reason = reasonOf(call);
  return reason === null || exit !== null || isStandIn(reason) ? 'failed' : `failed: ${firstLine(reason)}`;
}

export type CallText = {
  /** What the text is: "Output", "Changes", "Plan". */
  name: string;
  text: string;
  markdown: boolean;
};

/** Longer texts are cut here; the timeline has all of them. */
const MOST = 20_000;

export function callTexts(call: ToolCall): CallText[] {
  const texts: CallText[] = [];
  const add = (name: string, text: string | null | undefined, markdown = false) => {
    const plain = markdown ? (text ?? '') : withoutEscapes(text ?? '');
    if (plain.trim() === '') return;
    const cut =
      plain.length > MOST ? `${plain.slice(0, MOST)}\n${plural(plain.length - MOST, 'more character')}` : plain;
    texts.push({ name, text: cut, markdown });
  };
  const payload = call.normalized;
  switch (payload.kind) {
    case 'read_file': {
      const { output } = payload.read_file;
      add('Text of the file', output?.content);
      if (output?.image) add('Picture', `${output.image.media_type}, not shown here`);
      break;
    }
    case 'modify_file':
      add('Changes', payload.modify_file.mutations.map(changeWords).join('\n'));
      break;
    case 'shell_exec': {
      const { command, description, output } = payload.shell_exec;
      if (command !== null && (command.includes('\n') || command.length > 80)) add('Command', command);
      add('About it', description);
      add('Output', output?.stdout);
      add('Errors', output?.stderr);
      add('Note', output?.note);
      break;
    }
    case 'code_search': {
      const { output, path } = payload.code_search;
      const found = output?.content ? readFound(output.content, path) : null;
      if (found)
        add(
          'Found',
          found
            .map(({ path: file, lines, count }) =>
              [
                `${file}${count === null ? '' : `: ${plural(count, 'time')}`}`,
                ...lines.filter((line) => !line.beside).map((line) => `  line ${line.number}: ${line.text.trim()}`),
              ].join('\n'),
            )
            .join('\n'),
        );
      else add('Found', output?.content ?? output?.files.join('\n'));
      break;
    }
    case 'http_request':
      if (payload.http_request.url !== null) add('Asked', payload.http_request.query);
      if (call.tool_status !== 'error') add('Answer', payload.http_request.response, true);
      break;
    case 'subagent_task':
      add('Asked', payload.subagent_task.prompt, true);
      if (call.tool_status !== 'error') add('Answer', payload.subagent_task.output, true);
      break;
    case 'create_task':
      add('About it', payload.create_task.description, true);
      break;
    case 'manage_todos':
      add(
        'Todos',
        payload.manage_todos.items
          .map(
            (item) =>
              `${item.description ?? item.active_form ?? item.id ?? ''}: ${item.status?.replace('_', ' ') ?? 'pending'}`,
          )
          .join('\n'),
      );
      break;
    case 'show_plan':
      add('Plan', payload.show_plan.plan, true);
      break;
    case 'ask_user': {
      const answers = payload.ask_user.answers as Record<string, unknown>;
      add(
        'Questions',
        readQuestions(payload.ask_user.questions)
          .map((question) => {
            const answer = answers[question.text];
            const options = question.options.map((option) => option.label).join(', ');
            return `${question.text}\n  Options: ${options}\n  Answer: ${typeof answer === 'string' ? answer : 'none'}`;
          })
          .join('\n'),
      );
      break;
    }
    default: {
      const detail = detailOf(payload) as { input?: unknown; output?: unknown; details?: unknown };
      add('Given', valueWords(detail.input ?? detail.details));
      add('Output', valueWords(detail.output));
    }
  }
  const reason = reasonOf(call);
  if (reason !== null && payload.kind !== 'shell_exec') add('Said', reason);
  return texts;
}

/** A diff as it is said: which line went, which came. */
function changeWords(mutation: Parameters<typeof diffOf>[0]): string {
  const words: string[] = [];
  let [before, after] = [0, 0];
  for (const line of diffOf(mutation).split('\n')) {
    const head = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line);
    if (head) {
      [before, after] = [Number(head[1]), Number(head[2])];
    } else if (line.startsWith('---') || line.startsWith('+++') || line.startsWith('\\')) continue;
    else if (line.startsWith('-')) words.push(`line ${before++} removed: ${line.slice(1)}`);
    else if (line.startsWith('+')) words.push(`line ${after++} added: ${line.slice(1)}`);
    else {
      before++;
      after++;
    }
  }
  return words.join('\n');
}

function valueWords(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((block) => typeof block === 'object' && block !== null && 'text' in block))
    return value.map((block: { text: unknown }) => String(block.text)).join('\n');
  const text = JSON.stringify(value, null, 1) ?? '';
  return text === '{}' || text === '[]' ? '' : text;
}

// eslint-disable-next-line no-control-regex
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|.)|[\u0000-\u0008\u000b-\u001f]/g;

function withoutEscapes(text: string): string {
  return text.replace(ESCAPES, '');
}
