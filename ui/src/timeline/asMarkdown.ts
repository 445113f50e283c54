// Rows as Markdown, for whoever copies them. Whatever a row holds, it stays within its own part of the text: a fence is longer
// than any in what it encloses, and what an answer left open is closed. Pure.
import type { ToolCall } from '../bindings/bindings';
import { dollars } from '../session/format';
import { outcomeOf } from '../session/outcome';
import type { Row, ToolRow, TurnRow } from '../session/rows';
import { waited } from '../shared/time';
import { detailOf, isRecord, reasonOf } from '../tools/detail';
import { headOf } from '../tools/heads';
import { diffOf } from '../tools/mutations';
import { readQuestions } from '../tools/questions';
import { asAllowed } from '../tools/record';

/** Rows one after another; `workspace`: what paths are shown without. */
export function rowsAsMarkdown(rows: readonly Row[], workspace: string): string {
  return rows
    .map((row) => asMarkdown(row, workspace))
    .filter((text) => text !== '')
    .join('\n\n');
}

export function asMarkdown(row: Row, workspace: string): string {
  switch (row.kind) {
    case 'prompt':
      return parts(quoted(row.text), ...row.attachments.map((one) => `> *${plain(one.kind)} attached*`));
    case 'answer':
      return closed(row.text.read());
    case 'reasoning':
      return parts('*Reasoning*', quoted(row.text.read()));
    case 'tool':
      return toolAsMarkdown(row, workspace);
    case 'notice':
      return `*${plain(row.text)}*`;
    case 'error':
      return `**Error:** ${plain(row.error)}`;
    case 'turn':
      return turnAsMarkdown(row);
    case 'unrecognized':
      return parts('*A line that was not understood*', fenced(row.raw, ''));
    case 'ended':
      return parts('*The session ended*', row.data.expected ? '' : fenced(row.data.stderr_tail, ''));
    case 'try':
      return `*${row.tries === 1 ? 'An earlier try' : `${row.tries} earlier tries`}*`;
    case 'void':
      return '';
  }
}

function turnAsMarkdown(row: TurnRow): string {
  const facts = [
    `Turn ${row.number} ${outcomeOf(row.data)}`,
    row.data.duration_ms === null ? '' : waited(row.data.duration_ms),
    row.data.cost_usd === null ? '' : dollars(row.data.cost_usd),
  ];
  return `*${facts.filter((fact) => fact !== '').join(', ')}*`;
}

function toolAsMarkdown(row: ToolRow, workspace: string): string {
  const call = asAllowed(row.call, row.record);
  const head = headOf(call, workspace);
  const failed = call.tool_status === 'error' ? ' (failed)' : '';
  const arg = head.arg === '' ? '' : ` ${head.code ? code(head.arg) : plain(head.arg)}`;
  const reason = reasonOf(call);
  const children = rowsAsMarkdown(row.children, workspace);
  return parts(
    `**${plain(head.verb)}**${failed}${arg}`,
    ...bodyOf(call),
    reason !== null && call.normalized.kind !== 'shell_exec' ? fenced(reason, '') : '',
    quoted(children),
    ...resultOf(call),
  );
}

/** What was asked of the tool and what it said, without what a failure repeats. */
function bodyOf(call: ToolCall): string[] {
  const payload = call.normalized;
  const bad = call.tool_status === 'error';
  switch (payload.kind) {
    case 'read_file': {
      const { output } = payload.read_file;
      return [output && !output.image ? fenced(output.content, output.language ?? '') : ''];
    }
    case 'modify_file':
      return payload.modify_file.mutations.map((one) => fenced(diffOf(one), 'diff'));
    case 'shell_exec': {
      const { command, output } = payload.shell_exec;
      const long = (command ?? '').trim().includes('\n') || (command ?? '').length > 80;
      return [
        long ? fenced(command ?? '', 'sh') : '',
        fenced(output?.stdout ?? '', ''),
        fenced(output?.stderr ?? '', ''),
      ];
    }
    case 'code_search': {
      const { output } = payload.code_search;
      return [fenced(output?.content ?? output?.files.join('\n') ?? '', '')];
    }
    case 'http_request':
      return [bad ? '' : fenced(payload.http_request.response ?? '', '')];
    case 'subagent_task':
      return [quoted(payload.subagent_task.prompt ?? '')];
    case 'create_task':
      return [plain(payload.create_task.description ?? '')];
    case 'manage_todos':
      return [
        payload.manage_todos.items
          .map((item) => `- [${item.status === 'completed' ? 'x' : ' '}] ${line(item.description ?? item.id ?? '')}`)
          .join('\n'),
      ];
    case 'show_plan':
      return [quoted(payload.show_plan.plan ?? '')];
    case 'ask_user': {
      const { questions, answers } = payload.ask_user;
      return readQuestions(questions).map((one) => {
        const answer = isRecord(answers) ? answers[one.text] : undefined;
        return parts(`- ${line(one.text)}`, typeof answer === 'string' ? `  ${line(answer)}` : '');
      });
    }
    default: {
      const detail = detailOf(payload) as { input?: unknown; output?: unknown; details?: unknown };
      const { input, output } = isRecord(detail.details) ? detail.details : detail;
      return [valued(input), bad ? '' : valued(output)];
    }
  }
}

/** What a subagent came back with stands behind what it did. */
function resultOf({ normalized, tool_status: status }: ToolCall): string[] {
  return normalized.kind === 'subagent_task' && status !== 'error'
    ? [quoted(normalized.subagent_task.output ?? '')]
    : [];
}

function valued(value: unknown): string {
  if (value === null || value === undefined || value === '') return '';
  if (typeof value === 'string') return fenced(value, '');
  return fenced(JSON.stringify(value, null, 2), 'json');
}

function parts(...texts: string[]): string {
  return texts.filter((text) => text !== '').join('\n\n');
}

/** A text as code, whatever fences are in it. */
export function fenced(text: string, language: string): string {
  const body = text.replace(/\r\n?/g, '\n').replace(/\n$/, '');
  if (body.trim() === '') return '';
  const longest = Math.max(2, ...[...body.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${/^[\w+#-]*$/.test(language) ? language : ''}\n${body}\n${fence}`;
}

/** A text as code within a line. */
export function code(text: string): string {
  const body = text.replace(/\s+/g, ' ').trim();
  if (body === '') return '';
  const runs = new Set([...body.matchAll(/`+/g)].map(([run]) => run.length));
  let length = 1;
  while (runs.has(length)) length += 1;
  const tick = '`'.repeat(length);
  const pad = body.startsWith('`') || body.endsWith('`') ? ' ' : '';
  return `${tick}${pad}${body}${pad}${tick}`;
}

/** Markdown of its own within a quotation, out of which nothing gets. */
export function quoted(text: string): string {
  const body = text.replace(/\r\n?/g, '\n').trim();
  if (body === '') return '';
  return body
    .split('\n')
    .map((one) => (one === '' ? '>' : `> ${one}`))
    .join('\n');
}

/** A text that is no Markdown, so that it reads as it is. */
export function plain(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .trim()
    .replace(/[\\`*_[\]<>~|#&$!]/g, '\\$&')
    .replace(/^(\s*)([-+=]|\d+(?=[.)]))/gm, (_, space: string, mark: string) =>
      /\d/.test(mark) ? `${space}${mark}\\` : `${space}\\${mark}`,
    )
    .replace(/\n(\s*\n)+/g, '\n');
}

const line = (text: string) => plain(text.replace(/\s+/g, ' '));

const OPENERS: [RegExp, RegExp][] = [
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<!\[CDATA\[/, /\]\]>/],
  [/^<![A-Za-z]/, />/],
  [/^<(script|pre|style|textarea)(\s|>|$)/i, /<\/(script|pre|style|textarea)>/i],
];

/** Markdown as it was written, but that nothing in it goes on behind its end. */
export function closed(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n').trimEnd().split('\n');
  let open: { mark: string; length: number } | null = null;
  let listed = false;
  for (const [at, one] of lines.entries()) {
    const fence = /^( {0,3})(`{3,}|~{3,})(.*)$/.exec(one);
    const [, indent = '', marks = '', rest = ''] = fence ?? [];
    if (open) {
      if (fence && marks.startsWith(open.mark) && marks.length >= open.length && rest.trim() === '') open = null;
      continue;
    }
    listed ||= /^ {0,3}([-*+]|\d+[.)])\s/.test(one);
    // One that is indented in a list ends with its item.
    if (fence && !(marks.startsWith('`') && rest.includes('`')) && (indent === '' || !listed)) {
      open = { mark: marks.charAt(0), length: marks.length };
      continue;
    }
    const html = one.trimStart();
    const opener = OPENERS.find(([begins]) => one.length - html.length <= 3 && begins.test(html));
    if (opener && !opener[1].test([html.slice(2), ...lines.slice(at + 1)].join('\n')))
      lines[at] = one.replace('<', '\\<');
  }
  if (open) lines.push(open.mark.repeat(open.length));
  return lines.join('\n');
}
