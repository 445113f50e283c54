// What a row says of the question that was asked about it. Pure.
import type { PermissionRecord } from '../session/rows';
import { between, waited } from '../shared/time';

/** What stands in for a message that nobody wrote: it is said to the model, and tells a person nothing. */
export function isStandIn(reason: string): boolean {
  return /^The user (?:denied this|doesn't want to proceed)/.test(reason);
}

export function recordWords(record: PermissionRecord | null): string | null {
  if (!record || (record.resolved_at === null && !record.cancelled)) return null;
  if (record.cancelled) return 'question withdrawn';
  const took = between(record.asked_at, record.resolved_at);
  const after = took === null ? '' : `, ${waited(took)}`;
  const act = record.behavior === 'deny' ? 'denied' : record.edited ? 'changed and allowed' : 'allowed';
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
