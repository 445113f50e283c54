// What a notice looks like: its icon, its tone, its first words, the rest, and what it holds back. Only what a person has to
// act on takes a colour. Pure but for `now`, which is passed in.
import { fieldOf, listOf, numberOf, textOf } from '../session/fields';
import { momentOf } from '../session/format';
import type { NoticeRow } from '../session/rows';
import type { IconName } from '../shared/icons';
import { between, clock, duration, plural, waited } from '../shared/time';

export type NoticeLook = {
  icon: IconName;
  spin: boolean;
  tone: 'quiet' | 'waiting' | 'failed' | 'running';
  head: string;
  rest: string;
  /** At the right, before the time: what counts. */
  fact: string;
  /** Shown when it is opened. */
  body: string | null;
  /** Drawn as a line across, not as a row. */
  divider: boolean;
};

/** `last`: nothing came after it, so what it tells of still holds. */
export function lookOf(row: NoticeRow, last: boolean, now: number): NoticeLook {
  const [head, rest] = halves(row.text);
  const look: NoticeLook = {
    icon: 'more',
    spin: false,
    tone: 'quiet',
    head,
    rest,
    fact: '',
    body: null,
    divider: false,
  };
  const { data } = row;
  switch (row.notice) {
    case 'api_retry':
      return { ...look, ...retry(row, last, now) };
    case 'silent_turn':
      return { ...look, ...silence(row, now) };
    case 'rate_limit':
    case 'rate_limit_event':
      return { ...look, icon: 'clock', tone: last ? 'waiting' : 'quiet' };
    case 'permission_timeout': {
      const seconds = numberOf(data, 'seconds');
      const within = seconds === null ? '' : ` within ${waited(seconds * 1000)}`;
      return { ...look, icon: 'clock', tone: 'failed', head: 'Denied and stopped', rest: `Nobody answered${within}` };
    }
    case 'permission_denied':
      return { ...look, icon: 'x', tone: 'failed' };
    case 'permission_loop':
      return { ...look, icon: 'warn', tone: 'failed', head: 'Interrupted', rest: row.text };
    case 'control_error': {
      const request = textOf(data, 'request');
      const reason = textOf(data, 'reason');
      if (request === null || reason === null) return { ...look, icon: 'warn', tone: 'failed' };
      return { ...look, icon: 'warn', tone: 'failed', head: `${words(request)} was refused`, rest: reason };
    }
    case 'session_writes_lost':
      return { ...look, ...writesLost(row) };
    case 'auth_status':
      return { ...look, ...signIn(row) };
    case 'compact_boundary':
    case 'compaction':
      return { ...look, icon: 'compact', divider: true };
    case 'status':
      return { ...look, ...compaction(row) };
    case 'interrupt':
    case 'interrupted':
      return { ...look, icon: 'stop' };
    case 'model_fallback':
    case 'model_refusal_fallback': {
      const [from, to] = [textOf(data, 'original_model'), textOf(data, 'fallback_model')];
      const why = textOf(data, 'trigger');
      if (from === null || to === null) return { ...look, icon: 'chip' };
      const because = why === null ? '' : `: ${why === 'refusal' ? 'it refused to answer' : words(why).toLowerCase()}`;
      return { ...look, icon: 'chip', head: 'Other model', rest: `${to} in place of ${from}${because}` };
    }
    case 'model_refusal_no_fallback':
      return { ...look, icon: 'chip', tone: 'failed' };
    case 'hook_started':
    case 'hook_response':
    case 'hook_progress':
      return { ...look, ...hook(row, now) };
    case 'notify_user': {
      const title = textOf(data, 'title');
      const level = textOf(data, 'level');
      return {
        ...look,
        icon: 'bell',
        tone: level === 'error' ? 'failed' : level === 'warning' ? 'waiting' : 'quiet',
        head: title ?? 'The agent tells you',
        rest: textOf(data, 'message') ?? row.text,
      };
    }
    case 'memory_recall': {
      const memories = listOf(data, 'memories');
      const paths = memories.map((one) => textOf(one, 'path')).filter((path) => path !== null);
      if (memories.length === 0) return { ...look, icon: 'file' };
      const contents = memories.map((one) => [textOf(one, 'path'), textOf(one, 'content')].filter(Boolean).join('\n'));
      return {
        ...look,
        icon: 'file',
        head: `Recalled ${plural(memories.length, 'memory', 'memories')}`,
        rest: paths.map((path) => path.split(/[\\/]/).pop() ?? path).join(', '),
        body: contents.join('\n\n'),
      };
    }
    case 'files_persisted': {
      const failed = listOf(data, 'failed');
      const kept = listOf(data, 'files').length;
      if (failed.length === 0) return { ...look, icon: 'file', head: 'Files kept', rest: plural(kept, 'file') };
      const lines = failed.map((one) => `${textOf(one, 'filename') ?? '?'}: ${textOf(one, 'error') ?? 'failed'}`);
      return {
        ...look,
        icon: 'warn',
        tone: 'failed',
        head: 'Files not kept',
        rest: `${failed.length} of ${kept + failed.length}`,
        body: lines.join('\n'),
      };
    }
    case 'plugin_install': {
      const status = textOf(data, 'status');
      const failed = status === 'failed';
      return {
        ...look,
        icon: 'plug',
        tone: failed ? 'failed' : 'quiet',
        head: `Plugin ${textOf(data, 'name') ?? ''}`.trim(),
        rest: failed ? `failed: ${textOf(data, 'error') ?? 'no reason was given'}` : (status ?? ''),
      };
    }
    case 'elicitation':
    case 'elicitation_resolved':
      return { ...look, ...question(row) };
    case 'uncommitted_changes':
      return { ...look, icon: 'diff' };
    case 'prompt_returned':
      return { ...look, icon: 'undo', tone: 'waiting' };
    case 'interrupt_unanswered':
    case 'flood':
    case 'line_skipped':
    case 'mirror_error':
      return { ...look, icon: 'warn', tone: 'waiting' };
    case 'worker_shutting_down':
      return { ...look, icon: 'power' };
    case 'local_command_output':
      return { ...look, icon: 'terminal' };
    case 'control_request_progress':
      return { ...look, icon: 'retry' };
    case 'prompt_suggestion':
      return { ...look, icon: 'prompt' };
    case 'active_goal':
      return { ...look, icon: 'todo' };
    case 'request_user_dialog':
      return { ...look, icon: 'ask' };
    case 'tool_result':
      return { ...look, icon: 'tool' };
    case 'informational':
    case 'notification':
      return { ...look, icon: isWarning(data) ? 'warn' : 'more' };
    case 'resumed':
      return { ...look, icon: 'retry', divider: true };
    case 'retried_from':
      return { ...look, icon: 'retry' };
    case 'begun_anew':
      return { ...look, icon: 'warn', tone: 'waiting' };
    case 'process_lost':
      return { ...look, icon: 'power', tone: 'failed' };
    case 'interrupt_without_effect':
      return { ...look, icon: 'warn', tone: 'waiting' };
    case 'rewound':
      return { ...look, ...rewound(row) };
    case 'reverted':
      return { ...look, icon: 'undo' };
    case 'conversation_reset':
      return { ...look, icon: 'retry', divider: true };
    default:
      return look;
  }
}

/** What somebody who reads the answers does not need to see. It is in the inspector, and in the full view. */
export function isAside(row: NoticeRow): boolean {
  const { data } = row;
  switch (row.notice) {
    case 'hook_started':
    case 'hook_progress':
      return true;
    case 'hook_response':
      return !hookFailed(data);
    case 'memory_recall':
    case 'worker_shutting_down':
    case 'prompt_suggestion':
    case 'tool_use_summary':
    case 'commands_changed':
    case 'background_tasks_changed':
      return true;
    case 'files_persisted':
      return listOf(data, 'failed').length === 0;
    case 'plugin_install':
      return textOf(data, 'status') !== 'failed';
    case 'auth_status':
      return textOf(data, 'error') === null && fieldOf(data, 'isAuthenticating') !== true;
    case 'informational': {
      const level = textOf(data, 'level');
      return (level === 'info' || level === 'suggestion') && fieldOf(data, 'prevent_continuation') !== true;
    }
    case 'notification': {
      const priority = textOf(data, 'priority');
      return priority === 'low' || priority === 'medium';
    }
    default:
      return false;
  }
}

type Part = Partial<NoticeLook>;

/** `Overloaded (529)`, attempt n of m, and how long until the next. */
function retry(row: NoticeRow, last: boolean, now: number): Part {
  const { data } = row;
  const attempt = numberOf(data, 'attempt');
  const delay = numberOf(data, 'retry_delay_ms');
  const pending = row.over === null && last;
  const tone = pending ? 'waiting' : 'quiet';
  if (attempt === null) return { icon: 'retry', tone };
  const status = numberOf(data, 'error_status');
  const error = textOf(data, 'error');
  const [said, more] = halves(row.text);
  const named = error === null || error === 'unknown' ? (more === '' ? 'The request failed' : said) : words(error);
  const head = `${named}${status === null ? '' : ` (${status})`}`;
  const most = numberOf(data, 'max_retries');
  const of = `Attempt ${attempt}${most === null ? '' : ` of ${most}`}`;
  if (!pending) {
    const took = between(row.at, row.over?.at);
    const well = row.over !== null && /^(message_chunk|reasoning|tool_call)$/.test(row.over.by);
    return {
      icon: 'retry',
      tone,
      head,
      rest: `${of}${well && took !== null ? ` went through after ${waited(took)}` : ''}`,
    };
  }
  const left = Date.parse(row.heard) + (delay ?? 0) - now;
  const when =
    delay === null || Number.isNaN(left) ? '' : left > 0 ? `in ${waited(Math.ceil(left / 1000) * 1000)}` : 'now';
  return { icon: 'retry', tone, head, rest: of, fact: when };
}

const SILENT: Record<string, string> = {
  model: 'The model has not answered yet',
  tool: 'A tool runs and says nothing',
  retry: 'The next attempt is not due yet',
  rate_limit: 'The usage limit is reached',
  compaction: 'The conversation is being compacted',
  task: 'A task in the background runs on',
};

function silence(row: NoticeRow, now: number): Part {
  const seconds = numberOf(row.data, 'seconds') ?? 0;
  const why = SILENT[textOf(row.data, 'waiting_for') ?? ''];
  const since = Date.parse(row.at) - seconds * 1000;
  if (row.over !== null) {
    const all = Date.parse(row.over.at) - since;
    return {
      icon: 'clock',
      head: `Nothing was heard for ${waited(Number.isNaN(all) ? seconds * 1000 : all)}`,
      rest: '',
    };
  }
  return {
    icon: 'clock',
    tone: 'waiting',
    head: why ?? 'Nothing has been heard',
    rest: textOf(row.data, 'next_step') ?? '',
    fact: Number.isNaN(since) ? '' : `silent ${clock(now - since)}`,
  };
}

/** Whether somebody can still do something about it. */
export function isOpenSilence(row: NoticeRow): boolean {
  return row.notice === 'silent_turn' && row.over === null;
}

function rewound(row: NoticeRow): Part {
  const files = listOf(row.data, 'files').filter((one) => typeof one === 'string');
  return {
    icon: 'undo',
    // What undoes a restore names no prompt.
    head: textOf(row.data, 'message_uuid') === null ? 'Files put back' : 'Files restored',
    rest:
      files.length === 0
        ? row.text
        : `${plural(files.length, 'file')}: ${files.map((one) => one.split(/[\\/]/).pop() ?? one).join(', ')}`,
    body: files.length === 0 ? null : files.join('\n'),
  };
}

function writesLost(row: NoticeRow): Part {
  const code = textOf(row.data, 'error_code');
  const why =
    { ENOSPC: 'the disk is full', EDQUOT: 'the disk quota is used up' }[code ?? ''] ??
    (code === null ? 'the CLI could not write' : code);
  const lost = listOf(row.data, 'lost');
  const transcript = lost.length === 0 || lost.includes('transcript');
  return {
    icon: 'warn',
    tone: 'failed',
    head: transcript ? 'Saved up to here' : "The CLI's settings were not saved",
    rest: transcript ? `What comes may be missing after a resume: ${why}` : capital(why),
    body: transcript
      ? `The CLI could not save the conversation (${why}). Everything up to ${momentOf(row.at)} was saved before; what is said from here on can be missing when this session is resumed. ${textOf(row.data, 'next_step') ?? 'Make room on the disk, then go on.'}`
      : null,
  };
}

function signIn(row: NoticeRow): Part {
  const error = textOf(row.data, 'error');
  const lines = listOf(row.data, 'output').filter((line) => typeof line === 'string');
  const body = lines.length > 0 ? lines.join('\n') : null;
  if (error !== null) return { icon: 'key', tone: 'failed', head: 'Sign-in failed', rest: error, body };
  const busy = fieldOf(row.data, 'isAuthenticating') === true && row.over === null;
  const last = String(lines.at(-1) ?? '').trim();
  return busy
    ? { icon: 'arc', spin: true, tone: 'running', head: 'Signing in', rest: last, body }
    : { icon: 'key', head: 'Signed in', rest: '', body };
}

function compaction(row: NoticeRow): Part {
  const result = textOf(row.data, 'compact_result');
  if (result === 'failed')
    return {
      icon: 'compact',
      tone: 'failed',
      head: 'Compaction failed',
      rest: textOf(row.data, 'compact_error') ?? 'The conversation goes on as it is',
    };
  if (fieldOf(row.data, 'status') === 'compacting' && result === null && row.over === null)
    return {
      icon: 'arc',
      spin: true,
      tone: 'running',
      head: 'Compacting',
      rest: 'The conversation is being shortened',
    };
  return { icon: 'compact' };
}

function hookFailed(data: unknown): boolean {
  const outcome = textOf(data, 'outcome');
  return outcome === 'error' || (outcome === null && (numberOf(data, 'exit_code') ?? 0) !== 0);
}

function hook(row: NoticeRow, now: number): Part {
  const { data } = row;
  const head = `Hook ${textOf(data, 'hook_name') ?? textOf(data, 'hook_event') ?? ''}`.trim();
  const output = [textOf(data, 'stdout'), textOf(data, 'stderr')]
    .filter((part) => part !== null)
    .join('\n')
    .trim();
  const said = output || (textOf(data, 'output') ?? '').trim();
  const body = said === '' ? null : said;
  const lastLine = said.split('\n').pop() ?? '';
  if (row.notice !== 'hook_response') {
    if (row.over !== null) return { icon: 'shield', head, rest: 'did not say how it ended', body };
    const since = between(row.at, now);
    return {
      icon: 'arc',
      spin: true,
      tone: 'running',
      head,
      rest: lastLine,
      fact: since === null || since < 1000 ? '' : `running ${clock(since)}`,
      body,
    };
  }
  const took = between(row.at, row.heard);
  const fact = took === null || took < 100 ? '' : duration(took);
  if (textOf(data, 'outcome') === 'cancelled') return { icon: 'shield', head, rest: 'cancelled', fact, body };
  if (!hookFailed(data)) return { icon: 'shield', head, rest: '', fact, body };
  const code = numberOf(data, 'exit_code');
  return {
    icon: 'shield',
    tone: 'failed',
    head: `${head} failed`,
    rest: [code === null ? '' : `exit ${code}`, lastLine].filter(Boolean).join(', '),
    fact,
    body,
  };
}

function question(row: NoticeRow): Part {
  const server = textOf(row.data, 'mcp_server_name') ?? 'An MCP server';
  const head = `${server} asks`;
  if (row.notice === 'elicitation')
    return { icon: 'wait', tone: 'waiting', head, rest: row.text, fact: 'waiting for you' };
  const took = between(row.at, row.heard);
  const after = took === null ? '' : `, ${waited(took)}`;
  const content = fieldOf(row.data, 'content');
  const body = content === undefined || content === null ? null : JSON.stringify(content, null, 2);
  const done = textOf(row.data, 'completed_at') === null ? '' : ', done there';
  const by = textOf(row.data, 'by');
  const who = by === 'user' || by === null ? ' by you' : by === 'timeout' ? ' without an answer' : '';
  const outcome: Record<string, string> = {
    accept: `accepted${who}${after}${done}`,
    decline: `declined${who}${after}`,
    cancel: `cancelled${who}${after}`,
    withdrawn: `withdrawn${after}`,
    session_end: 'closed with the session',
  };
  const action = textOf(row.data, 'action') ?? '';
  return { icon: 'ask', head, rest: row.text, fact: outcome[action] ?? action, body };
}

/** `Overloaded (529): attempt 2 of 10` has a head and a rest; a sentence alone is all head. */
function halves(text: string): [string, string] {
  const at = text.search(/[:.]\s/);
  if (at < 0 || at > 48) return [capital(text), ''];
  return [capital(text.slice(0, at)), capital(text.slice(at + 2))];
}

function isWarning(data: unknown): boolean {
  return textOf(data, 'level') === 'warning' || /^(high|immediate)$/.test(textOf(data, 'priority') ?? '');
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** `set_model` as words: `Set model`. */
function words(name: string): string {
  return capital(name.replaceAll('_', ' '));
}
