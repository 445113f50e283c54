// What a screen reader is told while the session goes on: short sentences that sum up, never the text itself. Pure: what was
// heard already is handed in and out.
import { outcomeOf } from '../session/outcome';
import type { Row } from '../session/rows';
import type { SessionView } from '../session/view';
import { plural } from '../shared/time';

export type Heard = {
  /** The newest row that was summed up. */
  seq: number;
  /** Turns that were told of. */
  turns: number;
  /** The question that was told of. */
  question: string | null;
  ended: boolean;
  said: string;
};

/** From here on: what is there already is not told. */
export function hearFrom(view: SessionView): Heard {
  return {
    seq: view.lastSeq,
    turns: countOf(view),
    question: view.open[0]?.id ?? null,
    ended: view.ended !== null,
    said: '',
  };
}

export type Summary = { text: string; /** It does not wait for its turn. */ urgent: boolean; heard: Heard };

export function summarize(view: SessionView, busy: boolean, heard: Heard): Summary | null {
  const now = {
    ...heard,
    seq: view.lastSeq,
    turns: countOf(view),
    question: view.open[0]?.id ?? null,
    ended: view.ended !== null,
  };
  const question = view.open[0];
  if (question && question.id !== heard.question)
    return { text: asks(question, view.open.length), urgent: true, heard: { ...now, said: '' } };
  if (view.ended !== null && !heard.ended)
    return { text: view.ended.expected ? 'The session ended.' : 'The session broke off.', urgent: true, heard: now };
  const turn = view.turns.at(-1);
  if (now.turns > heard.turns && turn) {
    const outcome = outcomeOf(turn.data);
    const files = turn.files.length > 0 ? `${plural(turn.files.length, 'file')} changed` : 'no files changed';
    const words = outcome === 'done' ? `Turn finished: ${files}.` : `Turn ${outcome}: ${files}.`;
    return { text: words, urgent: true, heard: { ...now, said: '' } };
  }
  if (!busy || question) return null;
  const text = doing(view, heard.seq);
  if (text === null || text === heard.said) return null;
  return { text, urgent: false, heard: { ...now, said: text } };
}

function countOf(view: SessionView): number {
  return view.turnsBefore + view.turns.length;
}

function asks(question: SessionView['open'][number], count: number): string {
  const more = count > 1 ? ` ${count} questions are open.` : '';
  if (question.kind === 'elicitation') return `An MCP server asks you something.${more}`;
  const { action_type: action, tool_name: tool, tool_title: title } = question.request;
  if (action === 'question') return `Claude asks you: ${title}.${more}`;
  if (action === 'plan') return `A plan waits for your approval.${more}`;
  return `Waiting for your approval: ${title.startsWith(tool) ? '' : `${tool} `}${title}.${more}`;
}

/** Rows that are looked at, from the end. */
const NEAR = 200;

function doing(view: SessionView, after: number): string | null {
  const edited = new Set<string>();
  let [read, searched, ran, fetched, agents, others] = [0, 0, 0, 0, 0, 0];
  let answers = false;
  const look = (row: Row | undefined): void => {
    if (!row || row.kind !== 'tool') {
      if (row?.kind === 'answer' && row.streaming) answers = true;
      return;
    }
    if (row.seq <= after && row.call.tool_status !== 'running') return;
    const payload = row.call.normalized;
    switch (payload.kind) {
      case 'modify_file':
        edited.add(payload.modify_file.file_path);
        break;
      case 'read_file':
        read++;
        break;
      case 'code_search':
        searched++;
        break;
      case 'shell_exec':
        ran++;
        break;
      case 'http_request':
        fetched++;
        break;
      case 'subagent_task':
        if (row.call.tool_status === 'running') agents++;
        break;
      default:
        others++;
    }
  };
  for (let at = view.rows.length - 1, n = 0; at >= 0 && n < NEAR; at--, n++) {
    const row = view.rows[at];
    if (row?.kind === 'turn') break;
    look(row);
  }
  const parts = [
    edited.size > 0 ? `editing ${plural(edited.size, 'file')}` : null,
    ran > 0 ? (ran === 1 ? 'running a command' : `running ${ran} commands`) : null,
    read > 0 ? `reading ${plural(read, 'file')}` : null,
    searched > 0 ? 'searching' : null,
    fetched > 0 ? 'reading the web' : null,
    agents > 0 ? `waiting for ${plural(agents, 'subagent')}` : null,
    others > 0 ? `using ${plural(others, 'other tool')}` : null,
  ].filter((part) => part !== null);
  if (parts.length > 0) return `Claude is ${parts.slice(0, 3).join(', ')}.`;
  return answers ? 'Claude is answering.' : null;
}
