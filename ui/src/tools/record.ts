// What a row says of the question that was asked about it: in short on its line, in whole behind it. Pure.
import type { ToolCall } from '../bindings/bindings';
import type { PermissionRecord } from '../session/rows';
import { between, waited } from '../shared/time';
import { isRecord } from './detail';

/** What stands in for a message that nobody wrote: it is said to the model, and tells a person nothing. */
export function isStandIn(reason: string): boolean {
  return /^The user (?:denied this|doesn't want to proceed)/.test(reason);
}

/** Three that must not be taken for one another; null: nothing was asked. */
export type RecordState = 'pending' | 'allowed' | 'denied' | 'withdrawn';

export function recordState(record: PermissionRecord | null): RecordState | null {
  if (!record) return null;
  if (record.cancelled) return 'withdrawn';
  if (record.resolved_at === null) return 'pending';
  return record.behavior === 'deny' ? 'denied' : 'allowed';
}

/** What was asked about: a plan is approved or sent back, a question is answered. */
export type Asked = 'plan' | 'question' | 'act';

export function askedAbout(call: ToolCall): Asked {
  const { kind } = call.normalized;
  return kind === 'show_plan' ? 'plan' : kind === 'ask_user' ? 'question' : 'act';
}

export function recordWords(record: PermissionRecord | null, about: Asked = 'act'): string | null {
  const words = answerWords(record);
  if (words === null || about === 'act') return words;
  if (about === 'question') return words.replace(/^changed and allowed\b/, 'answered');
  return words.replace(/^(changed and )?allowed\b/, '$1approved').replace(/^denied(?! and)\b/, 'sent back');
}

function answerWords(record: PermissionRecord | null): string | null {
  if (!record || (record.resolved_at === null && !record.cancelled)) return null;
  if (record.cancelled) return 'question withdrawn';
  const took = between(record.asked_at, record.resolved_at);
  const after = took === null ? '' : `, ${waited(took)}`;
  const act =
    record.behavior === 'deny'
      ? record.interrupt === true
        ? 'denied and stopped'
        : 'denied'
      : record.edited
        ? 'changed and allowed'
        : (record.permissions ?? []).length > 0
          ? 'allowed with more'
          : 'allowed';
  switch (record.by) {
    case 'user':
      return `${act} by you${after}`;
    case 'policy':
      return `${act} by the policy`;
    case 'timeout':
      return `${act} without an answer${after}`;
    case 'session_end':
      return 'closed with the session';
    default:
      return record.by === null ? act : `${act} by ${record.by}`;
  }
}

/** By whom, as the whole record says it. */
export function byWords(record: PermissionRecord): string {
  if (record.cancelled) return 'the CLI withdrew the question';
  switch (record.by) {
    case 'user':
      return 'by you';
    case 'policy':
      return "by this session's policy";
    case 'timeout':
      return 'by the time limit: nobody answered';
    case 'session_end':
      return 'with the end of the session';
    default:
      return record.by === null ? '' : `by ${record.by}`;
  }
}

/** A field of the input that is used otherwise than it was asked about; undefined: it was not there. */
export type Change = { name: string; before: unknown; after: unknown };

export function changesOf(record: PermissionRecord): Change[] {
  const { input: asked, updated_input: used } = record;
  if (used === undefined || used === null) return [];
  if (!isRecord(asked) || !isRecord(used)) return [{ name: '', before: asked, after: used }];
  return [...new Set([...Object.keys(asked), ...Object.keys(used)])]
    .filter((name) => JSON.stringify(asked[name]) !== JSON.stringify(used[name]))
    .map((name) => ({ name, before: asked[name], after: used[name] }));
}

/** The call as it runs: a command that was changed before it was allowed is the changed one. */
export function asAllowed(call: ToolCall, record: PermissionRecord | null): ToolCall {
  const { normalized } = call;
  const used = record?.updated_input;
  if (normalized.kind !== 'shell_exec' || recordState(record) !== 'allowed' || !isRecord(used)) return call;
  const { command } = used;
  if (typeof command !== 'string') return call;
  return { ...call, normalized: { ...normalized, shell_exec: { ...normalized.shell_exec, command } } };
}

/** What the denial told the model, where a person wrote it and the call's own result does not repeat it. */
export function messageOf(record: PermissionRecord, result: string | null): string | null {
  const { message } = record;
  return message && !isStandIn(message) && message.trim() !== result?.trim() ? message : null;
}

/** Whether there is more to say of it than its line says. `result`: what the call itself says of its failure. */
export function hasMore(record: PermissionRecord | null, result: string | null): boolean {
  if (!record || record.resolved_at === null) return false;
  return changesOf(record).length > 0 || (record.permissions ?? []).length > 0 || messageOf(record, result) !== null;
}
