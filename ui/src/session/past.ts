// A session without a process, in the shape that a living one has: what the window draws of both is the same.
import type { PastSession } from '../backend/history';
import type { SessionInfo } from '../bindings/bindings';

export function infoOf(row: PastSession): SessionInfo {
  return {
    id: row.id,
    workspace: row.workspace,
    title: row.title,
    cli_session_id: row.cli_session_id,
    policy: row.policy ?? 'supervised',
    permission_mode: null,
    model: row.model,
    effort: null,
    output_style: null,
    phase: row.state,
    since: row.since,
    started_at: row.since,
    waiting: 0,
    waiting_since: null,
    waiting_for: null,
    permission_timeout_s: null,
    rehearsal: row.rehearsal,
    problem: row.problem,
    cli_version: null,
    can: [],
    models: [],
    last_seq: row.last_seq ?? 0,
    next_step: null,
    force_stop: false,
    last_message_uuid: null,
    forked_from: row.forked_from,
  };
}

/** The list with what is new about it; `whole`: there are no other rows than these. */
export function takePast(
  known: readonly PastSession[],
  rows: readonly PastSession[],
  gone: readonly string[],
  whole: boolean,
): PastSession[] {
  const all = new Map(whole ? [] : known.map((row) => [row.id, row]));
  for (const row of rows) all.set(row.id, row);
  for (const id of gone) all.delete(id);
  return [...all.values()].sort((a, b) => b.updated_at.localeCompare(a.updated_at));
}
