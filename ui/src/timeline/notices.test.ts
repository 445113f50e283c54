import { describe, expect, it } from 'vitest';
import type { Event, EventBody } from '../bindings/bindings';
import type { NoticeRow, Row } from '../session/rows';
import { apply, emptyView, type SessionView } from '../session/view';
import { isLeftOut } from './folds';
import { isAside, isOpenSilence, lookOf } from './notices';

const start = Date.parse('2026-03-02T14:05:00Z');
const at = (seconds: number) => new Date(start + seconds * 1000).toISOString();
const notice = (kind: string, data: unknown, text = kind): EventBody => ({ type: 'notice', kind, text, data });

/** The events, each ten seconds after the one before. */
function viewOf(...bodies: EventBody[]): SessionView {
  const view = emptyView();
  bodies.forEach((body, i) => apply(view, { seq: i + 1, at: at(i * 10), ...body } as Event));
  return view;
}
const notices = (view: SessionView): NoticeRow[] => view.rows.filter((row: Row) => row.kind === 'notice');
function only(...bodies: EventBody[]): NoticeRow {
  const rows = notices(viewOf(...bodies));
  expect(rows).toHaveLength(1);
  return rows[0] as NoticeRow;
}
const look = (row: NoticeRow, seconds = 60, last = true) => lookOf(row, last, start + seconds * 1000);
const said: EventBody = { type: 'message_chunk', text: 'x', message_id: 'm' };
const failed: EventBody = { type: 'error', error: 'overloaded', data: { code: 'overloaded' } };

describe('a retry', () => {
  const attempt = (n: number, delay: number) =>
    notice('api_retry', {
      attempt: n,
      max_retries: 10,
      retry_delay_ms: delay,
      error_status: 529,
      error: 'overloaded',
    });

  it('counts down from when it was said', () => {
    const row = only(attempt(2, 8000));
    expect(look(row, 0)).toMatchObject({ head: 'Overloaded (529)', rest: 'Attempt 2 of 10', fact: 'in 8 s' });
    expect(look(row, 5.5).fact).toBe('in 3 s');
    expect(look(row, 30).fact).toBe('now');
    expect(look(row, 0).tone).toBe('waiting');
  });

  it('is one row, however often it is tried', () => {
    const row = only(attempt(1, 1000), attempt(2, 2000), attempt(3, 4000));
    expect(look(row, 21)).toMatchObject({ rest: 'Attempt 3 of 10', fact: 'in 3 s' });
    expect(row.at).toBe(at(0));
  });

  it('says that it went through, and nothing of the kind when it did not', () => {
    expect(look(only(attempt(2, 1000), said))).toMatchObject({
      rest: 'Attempt 2 of 10 went through after 10 s',
      fact: '',
      tone: 'quiet',
    });
    expect(look(only(attempt(10, 1000), failed)).rest).toBe('Attempt 10 of 10');
    expect(notices(viewOf(attempt(1, 1), said, attempt(1, 1)))).toHaveLength(2);
  });

  it('that was given up does not seem to have gone through because its error came as an answer', () => {
    const told: EventBody = { type: 'message_chunk', text: 'API Error: 529', message_id: 'm' };
    const over: EventBody = { type: 'error', error: 'API Error: 529', data: { code: 'overloaded' } };
    expect(look(only(attempt(10, 1000), told, over)).rest).toBe('Attempt 10 of 10');
  });

  it('shows what it was told where the numbers are missing', () => {
    expect(look(only(notice('api_retry', {}, 'Overloaded (529): attempt 2 of 10 went through')))).toMatchObject({
      head: 'Overloaded (529)',
      rest: 'Attempt 2 of 10 went through',
    });
    expect(look(only(notice('api_retry', { attempt: 1, retry_delay_ms: 'soon' }))).fact).toBe('');
  });
});

describe('a silent turn', () => {
  const silent = notice('silent_turn', {
    waiting_for: 'model',
    seconds: 120,
    next_step: 'Wait, or interrupt the turn.',
  });

  it('says what it waits for, what one can do, and how long it is silent', () => {
    const row = only(silent);
    expect(isOpenSilence(row)).toBe(true);
    expect(look(row, 15)).toMatchObject({
      head: 'The model has not answered yet',
      rest: 'Wait, or interrupt the turn.',
      fact: 'silent 2:15',
      tone: 'waiting',
    });
  });

  it('ends when something is heard, though the text goes on in a row above it', () => {
    const view = viewOf(said, silent, said);
    expect(view.rows.map((row) => row.kind)).toEqual(['answer', 'notice']);
    const row = notices(view)[0] as NoticeRow;
    expect(isOpenSilence(row)).toBe(false);
    expect(look(row)).toMatchObject({ head: 'Nothing was heard for 2 min 10 s', tone: 'quiet', fact: '' });
  });

  it('is not ended by another notice', () => {
    expect(notices(viewOf(silent, notice('informational', {}))).map(isOpenSilence)).toEqual([true, false]);
  });
});

describe('a hook', () => {
  const hook = (kind: string, data: object) => notice(kind, { hook_id: 'h1', hook_name: 'PreToolUse:Bash', ...data });

  it('is one row from its start to its end', () => {
    const events = [
      hook('hook_started', { hook_event: 'PreToolUse' }),
      hook('hook_progress', { stdout: 'checking\nhalf' }),
      hook('hook_response', { outcome: 'success', exit_code: 0, stdout: 'all well' }),
    ];
    expect(look(only(...events.slice(0, 1)), 4)).toMatchObject({ spin: true, fact: 'running 0:04', tone: 'running' });
    expect(look(only(...events.slice(0, 2)), 14)).toMatchObject({ rest: 'half', body: 'checking\nhalf' });
    expect(look(only(...events))).toMatchObject({ spin: false, tone: 'quiet', fact: '20 s', body: 'all well' });
  });

  it('that failed says how, and is not hidden from a reader', () => {
    const row = only(hook('hook_response', { outcome: 'error', exit_code: 2, stderr: 'no\nnever' }));
    expect(look(row)).toMatchObject({ head: 'Hook PreToolUse:Bash failed', rest: 'exit 2, never', tone: 'failed' });
    expect(isAside(row)).toBe(false);
  });

  it('of another id is another row', () => {
    expect(notices(viewOf(hook('hook_started', {}), notice('hook_started', { hook_id: 'h2' })))).toHaveLength(2);
  });

  it('that never said how it ended does not run on behind the end of its turn', () => {
    const done = { type: 'complete', data: { permission_denials: [] } } as unknown as EventBody;
    expect(look(only(hook('hook_started', {}), done))).toMatchObject({ spin: false, rest: 'did not say how it ended' });
  });
});

describe("a server's question", () => {
  const asked = notice('elicitation', { request_id: 'e1', mcp_server_name: 'lab', mode: 'form' }, 'Which colour?');
  const resolved = (action: string, by: string) => notice('elicitation_resolved', { request_id: 'e1', action, by });

  it('is open until the backend says that it is resolved, and keeps its record in its row', () => {
    const view = viewOf(asked);
    expect(view.open).toMatchObject([{ kind: 'elicitation', id: 'e1', elicitation: { server: 'lab' } }]);
    expect(look(notices(view)[0] as NoticeRow)).toMatchObject({ head: 'lab asks', fact: 'waiting for you' });
    const after = viewOf(asked, resolved('accept', 'user'));
    expect(after.open).toEqual([]);
    expect(look(notices(after)[0] as NoticeRow)).toMatchObject({
      rest: 'Which colour?',
      fact: 'accepted by you, 10 s',
      tone: 'quiet',
    });
  });

  it.each([
    ['decline', 'user', 'declined by you, 10 s'],
    ['cancel', 'timeout', 'cancelled without an answer, 10 s'],
    ['withdrawn', 'cli', 'withdrawn, 10 s'],
    ['session_end', 'session_end', 'closed with the session'],
  ])('%s by %s is told apart', (action, by, words) => {
    expect(look(only(asked, resolved(action, by))).fact).toBe(words);
  });

  it('that comes twice is asked once', () => {
    expect(viewOf(asked, asked).open).toHaveLength(1);
  });
});

describe('notices', () => {
  it.each([
    ['permission_timeout', { pending_id: 'p', seconds: 90 }, 'Denied and stopped', 'Nobody answered within 1 min 30 s'],
    ['control_error', { request: 'set_model', reason: 'no such model' }, 'Set model was refused', 'no such model'],
    ['session_writes_lost', { error_code: 'ENOSPC', lost: ['transcript'] }, 'Saved up to here', 'disk is full'],
    ['session_writes_lost', { error_code: 'EDQUOT', lost: ['global_config'] }, 'settings were not saved', 'quota'],
    ['auth_status', { isAuthenticating: true, output: ['Opening the browser'] }, 'Signing in', 'Opening the browser'],
    ['auth_status', { isAuthenticating: false, output: [], error: 'expired' }, 'Sign-in failed', 'expired'],
    [
      'model_fallback',
      { trigger: 'overloaded', original_model: 'a', fallback_model: 'b' },
      'Other model',
      'b in place of a',
    ],
    ['memory_recall', { mode: 'select', memories: [{ path: '/x/notes.md' }] }, 'Recalled 1 memory', 'notes.md'],
    ['notify_user', { title: 'Built', message: 'It is done', level: 'info' }, 'Built', 'It is done'],
    ['plugin_install', { status: 'failed', name: 'p', error: 'gone' }, 'Plugin p', 'failed: gone'],
    ['files_persisted', { files: [], failed: [{ filename: 'a', error: 'b' }] }, 'Files not kept', '1 of 1'],
    ['status', { status: 'compacting' }, 'Compacting', ''],
    ['status', { compact_result: 'failed', compact_error: 'too short' }, 'Compaction failed', 'too short'],
  ])('%s in words', (kind, data, head, rest) => {
    const found = look(only(notice(kind, data)));
    expect(found.head).toContain(head);
    expect(found.rest).toContain(rest);
  });

  it('of every kind survive data of any shape', () => {
    const kinds = [
      'api_retry', 'silent_turn', 'permission_timeout', 'control_error', 'session_writes_lost', 'auth_status', 'status',
      'model_fallback', 'hook_started', 'hook_response', 'notify_user', 'memory_recall', 'files_persisted',
      'plugin_install', 'elicitation', 'elicitation_resolved', 'informational', 'notification', 'something_new',
    ]; // prettier-ignore
    for (const kind of kinds) {
      for (const data of [
        null,
        undefined,
        'text',
        7,
        [],
        {},
        { seconds: 'x', memories: [null, 3], output: {}, lost: 1 },
      ]) {
        for (const row of notices(viewOf(notice(kind, data)))) {
          expect(look(row).head).not.toBe('');
          expect(typeof isAside(row)).toBe('boolean');
        }
      }
    }
  });

  it('of one compaction are one row, which ends as the line across', () => {
    const row = only(
      notice('status', { status: 'compacting' }),
      notice('compact_boundary', { compact_metadata: {} }, 'Conversation compacted'),
      notice('status', { status: null, compact_result: 'success' }),
    );
    expect(look(row).divider).toBe(true);
    expect(row.text).toBe('Conversation compacted');
  });

  it('that a reader does not need are left out of the calm view alone, and nothing that asks or warns', () => {
    const aside = only(notice('memory_recall', { memories: [] }));
    expect([isLeftOut(aside, true), isLeftOut(aside, false)]).toEqual([true, false]);
    for (const kind of [
      'silent_turn',
      'api_retry',
      'permission_denied',
      'session_writes_lost',
      'elicitation',
      'notify_user',
      'something_new',
    ])
      expect(isLeftOut(only(notice(kind, { request_id: 'x' })), true)).toBe(false);
  });
});
