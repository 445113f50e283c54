// Sessions without a process: ours from earlier days and some begun in a terminal, in every state that a row shows.
import { blankPast, type Kept } from '../backend/replay';
import type { PastSession } from '../backend/history';
import type { Event } from '../bindings/bindings';
import { ago, Script, turn } from './story';

const hour = 3600;
const day = 24 * hour;

function said(prompt: string, answer: string, at: number): Event[] {
  return new Script(at)
    .say({ type: 'user_message', text: prompt, uuid: `u${at}`, attachments: [], synthetic: false })
    .tool(`toolu_${at}`, 'Bash', 'cargo test store::retry_queue', {
      kind: 'shell_exec',
      shell_exec: {
        command: 'cargo test store::retry_queue -- --nocapture',
        work_dir: null,
        description: null,
        timeout: null,
        background: false,
        output: { exit_code: 0, stdout: 'ok', stderr: '', interrupted: false, truncated: false },
      },
    })
    .text(`m${at}`, answer)
    .say({ type: 'complete', data: turn({ last_message_uuid: `a${at}` }) }).events;
}

function kept(id: string, folder: string, title: string, seconds: number, change: Partial<PastSession> = {}): Kept {
  const row = {
    ...blankPast(id, folder, title),
    model: 'claude-sonnet-4-5',
    since: ago(seconds),
    updated_at: ago(seconds),
    ...change,
  };
  return {
    row,
    events: said(
      `${title}. Do not just retry it, find out which timer leaks.`,
      'The retry budget is read once, at the start, and never again.',
      seconds,
    ),
  };
}

/** One of each kind. */
export function someKept(): Kept[] {
  const ferry = '/home/dev/code/ferry';
  const web = '/home/dev/code/harbor-web';
  const terminal = { source: 'terminal', policy: null } as const;
  return [
    kept('old-held', ferry, 'Trace why the pool runs dry', 9 * 60, {
      ...terminal,
      owner: { kind: 'terminal', pid: 48_112, what: 'open in a terminal (process 48112) since 14:02' },
    }),
    kept('old-terminal', ferry, 'Which queue keeps the retry order', 5 * hour, {
      ...terminal,
      cleanup_at: ago(-3 * day - hour),
    }),
    kept('old-ended', ferry, 'Rename the outcome type', 6 * hour, {
      problem: 'The program ended while this session ran. What it said is kept. The next prompt resumes it.',
    }),
    kept('old-fork', ferry, 'Rename the outcome type', 7 * hour, { forked_from: 'old-ended' }),
    kept('old-failed', ferry, 'Bump tokio', day, { state: 'failed', problem: 'The CLI ended with SIGKILL.' }),
    kept('old-more', ferry, 'Document the schema', 2 * day),
    kept('old-yet', ferry, 'Drop the legacy importer', 3 * day),
    kept('old-gone', '/home/dev/code/ferry-worktrees/spike', 'Spike: sqlite instead of postgres', 5 * day, {
      ...terminal,
      folder_gone: true,
    }),
    kept('old-web', web, 'Flaky date picker test, again', 6 * day),
    kept('old-archived', web, 'Try three icon sets', 20 * day, { archived: true }),
  ];
}

/** So many, over forty folders. */
export function manyKept(count: number): Kept[] {
  return [
    ...someKept(),
    ...Array.from({ length: count }, (_, i) =>
      kept(
        `many-${i}`,
        i % 3 === 0 ? '/home/dev/code/ferry' : `/home/dev/code/project-${i % 40}`,
        `Session ${i + 1} of an earlier day`,
        (i + 8) * hour,
        i % 2 === 0 ? { source: 'terminal', policy: null } : {},
      ),
    ),
  ];
}
