// What a notice looks like: its icon, its tone, its first words and the rest. The words come from the event; only the
// kinds that a person has to act on are told apart.
import type { NoticeRow } from '../session/rows';
import type { IconName } from '../shared/icons';

export type NoticeLook = {
  icon: IconName;
  tone: 'quiet' | 'waiting' | 'failed' | 'running';
  head: string;
  rest: string;
  /** Drawn as a line across, not as a row. */
  divider: boolean;
};

/** `last`: nothing came after it, so what it tells of still holds. */
export function lookOf(row: NoticeRow, last: boolean): NoticeLook {
  const [head, rest] = halves(row.text);
  const look: NoticeLook = { icon: 'more', tone: 'quiet', head, rest, divider: false };
  switch (row.notice) {
    case 'api_retry':
      return { ...look, icon: 'retry', tone: last ? 'waiting' : 'quiet' };
    case 'rate_limit':
    case 'rate_limit_event':
      return { ...look, icon: 'clock', tone: last ? 'waiting' : 'quiet' };
    case 'permission_denied':
      return { ...look, icon: 'x', tone: 'failed' };
    case 'compact_boundary':
    case 'compaction':
      return { ...look, icon: 'compact', divider: true };
    case 'status':
      return { ...look, icon: 'compact' };
    case 'interrupt':
    case 'interrupted':
      return { ...look, icon: 'stop' };
    case 'model_fallback':
      return { ...look, icon: 'chip', tone: 'waiting' };
    case 'hook_started':
    case 'hook_response':
    case 'hook_progress':
      return { ...look, icon: 'shield' };
    case 'uncommitted_changes':
      return { ...look, icon: 'diff' };
    case 'prompt_returned':
      return { ...look, icon: 'undo', tone: 'waiting' };
    case 'interrupt_unanswered':
    case 'permission_loop':
    case 'flood':
    case 'line_skipped':
      return { ...look, icon: 'warn', tone: 'waiting' };
    case 'tool_result':
      return { ...look, icon: 'tool' };
    case 'informational':
    case 'notification':
      return { ...look, icon: isWarning(row.data) ? 'warn' : 'more' };
    case 'elicitation':
      return { ...look, icon: 'ask' };
    case 'conversation_reset':
      return { ...look, icon: 'retry', divider: true };
    default:
      return look;
  }
}

/** `Overloaded (529): attempt 2 of 10` has a head and a rest; a sentence alone is all head. */
function halves(text: string): [string, string] {
  const at = text.search(/[:.]\s/);
  if (at < 0 || at > 48) return [capital(text), ''];
  return [capital(text.slice(0, at)), capital(text.slice(at + 2))];
}

function isWarning(data: unknown): boolean {
  return data !== null && typeof data === 'object' && 'level' in data && data.level === 'warning';
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
