// The states that the pictures show: which sessions there are and what was said in them.
import type { CliReport, SessionInfo } from '../bindings/bindings';
import { blankInfo, plainSettings, type Played, type Stage } from '../backend/replay';
import { can, contextUsage, linesOf, outputs, usageReport } from './answers';
import { withElicitation, withNotices } from './asides';
import { conflictedCopy, manyFiles, refusingCopy, workingCopy } from './git';
import { longStory } from './long';
import { mcpServers, mcpStatus } from './mcp';
import { manyKept, someKept } from './past';
import { ago, everything, story, withFailure, withQueue, withQuestion, withTasks } from './story';

const found: CliReport = {
  found: { path: '/home/dev/.local/bin/claude', version: '2.1.332', source: 'PATH', warning: null },
  tried: [],
  path_used: '/usr/bin:/bin',
  problem: null,
  next_step: null,
  node: '20.20.0',
  git: '2.47.0',
};

const missing: CliReport = {
  ...found,
  found: null,
  problem: null,
  next_step: null,
  tried: [
    { path: 'KANDEV_CLI', source: 'environment', outcome: 'not set' },
    { path: 'claude on PATH', source: 'PATH', outcome: '14 folders, none has it' },
    { path: '/home/dev/.local/bin/claude', source: 'native installer', outcome: 'no such file' },
    { path: '/home/dev/.claude/local/claude', source: 'local install', outcome: 'no such file' },
    { path: '/usr/local/bin/claude', source: 'npm global', outcome: 'found, but it is not executable' },
  ],
};

const broken: CliReport = {
  ...found,
  found: { path: '/home/dev/.local/bin/claude', version: null, source: 'native installer', warning: null },
  problem: 'It did not say its version within 10 s.',
  next_step: 'Install Claude Code, or choose its file.',
};

const refused = 'The CLI refuses to skip permissions for root: start this program as another user, or in a sandbox.';

const models = [
  { value: 'default', display_name: 'Default', description: 'Sonnet 4.5, smartest for daily use' },
  { value: 'claude-sonnet-4-5', display_name: 'Sonnet 4.5', description: 'For daily use' },
  { value: 'opus', display_name: 'Opus 4.5', description: 'For hard problems' },
  { value: 'haiku', display_name: 'Haiku 4.5', description: 'Fastest' },
];

const minute = 60;
const hour = 3600;
const day = 24 * hour;

function row(id: string, workspace: string, title: string, change: Partial<SessionInfo>, seconds: number): Played {
  const info = {
    ...blankInfo(id, workspace, title),
    cli_version: '2.1.332',
    model: 'claude-sonnet-4-5',
    models,
    effort: 'high',
    can,
    ...change,
    since: ago(seconds),
  };
  return { info, events: [] };
}

export function stageFor(state: string, rows: number): Stage {
  const settings = { ...plainSettings, recent_folders: ['/home/dev/code/ferry', '/home/dev/code/harbor-web'] };
  const app = {
    version: '0.1.0',
    os: 'linux',
    settings,
    open_session: null,
    new_session_folder: null,
    autonomous_refused: null,
  };
  if (state === 'empty') return { app, cli: found, sessions: [] };
  if (state === 'root') return { app: { ...app, autonomous_refused: refused }, cli: found, sessions: [] };
  if (state === 'broken') return { app, cli: broken, sessions: [] };
  if (state === 'nocli') {
    return {
      app: { ...app, settings: { ...settings, recent_folders: [] } },
      cli: missing,
      sessions: [],
    };
  }
  const asksForm = state === 'elicitation' || state === 'address';
  const aside = { notices: withNotices, silent: withNotices, apierror: withNotices }[state];
  const waits = asksForm || state === 'approval' || state === 'question' || state === 'plan' || state === 'command';
  const told = { queue: withQueue, tasks: withTasks, background: () => withTasks(true) }[state] ?? story;
  const opened = { terminal: 'old-terminal', held: 'old-held', gone: 'old-gone', ended: 'old-ended' }[state] ?? 's1';
  const first = row(
    's1',
    '/home/dev/code/ferry',
    'Retry failed webhook deliveries',
    { phase: waits ? 'approval' : 'streaming' },
    252,
  );
  if (state === 'background') first.info.phase = 'background';
  first.events =
    rows > 0
      ? state === 'long'
        ? longStory(rows)
        : everything(rows)
      : asksForm
        ? withElicitation(state)
        : aside
          ? aside(state)
          : waits
            ? withQuestion(state)
            : told();
  Object.assign(first, {
    mcp: mcpStatus,
    context: contextUsage,
    usage: usageReport(Date.now()),
    outputs,
    lines: linesOf(first.events),
  });
  first.info.last_seq = first.events.length;
  if (waits)
    Object.assign(first.info, {
      waiting: state === 'approval' ? 2 : 1,
      waiting_since: ago(72),
      waiting_for: 'Edit src/delivery/worker.rs',
    });
  if (asksForm) Object.assign(first.info, { phase: 'question', waiting_for: 'deploy: How shall it be deployed?' });
  if (state === 'approval') first.info.permission_timeout_s = 300;
  if (state === 'apierror') first.info.phase = 'idle';
  if (state === 'silent') first.info.phase = 'tool';
  if (state === 'force')
    Object.assign(first.info, { phase: 'tool', force_stop: true, next_step: 'Waits for the command to end.' });
  if (state === 'idle') Object.assign(first.info, { phase: 'idle', next_step: 'Send the next prompt.' });
  if (state === 'retry') first.events = withFailure();
  if (state === 'retry') first.info.phase = 'idle';
  if (state === 'failed')
    Object.assign(first.info, {
      phase: 'failed',
      problem: 'The CLI ended with SIGKILL. Everything up to here is kept.',
    });
  return {
    app: { ...app, open_session: opened },
    cli: found,
    past:
      state === 'many' ? manyKept(2000) : state === 'kept' || opened !== 's1' || state === 'retry' ? someKept() : [],
    mcp: mcpServers,
    git:
      state === 'norepo'
        ? {}
        : {
            s1: { hook: refusingCopy, conflict: conflictedCopy, manyfiles: manyFiles(2000) }[state] ?? workingCopy,
          },
    sessions: [
      first,
      row(
        's2',
        '/home/dev/code/ferry',
        'Partition the deliveries table',
        {
          phase: 'approval',
          waiting: 1,
          waiting_since: ago(6 * minute),
          waiting_for: 'Edit migrations/0015_partition.sql',
        },
        6 * minute,
      ),
      row('s3', '/home/dev/code/ferry', 'Name the retry budget in config', { phase: 'stopped' }, 2 * hour),
      row('s4', '/home/dev/code/ferry', 'Why does CI skip the doc tests', { phase: 'idle' }, 3 * hour),
      row('s5', '/home/dev/code/harbor-web', 'Dark theme for the status page', { phase: 'thinking' }, 38),
      row(
        's6',
        '/home/dev/code/harbor-web',
        'Move the build to vite 8',
        { phase: 'approval', waiting: 1, waiting_since: ago(2 * minute), waiting_for: 'Bash npm run build' },
        2 * minute,
      ),
      row(
        's7',
        '/home/dev/code/harbor-web',
        'Flaky date picker test',
        { phase: 'failed', problem: 'Overloaded, 10 retries used' },
        day,
      ),
      row('s8', '/home/dev/code/harbor-web', 'Remove moment.js', { phase: 'stopped' }, day),
      row('s9', '/home/dev/code/harbor-web', 'Status page copy review', { phase: 'stopped' }, 2 * day),
      row('s10', '/home/dev/dotfiles', 'tmux copy mode on Wayland', { phase: 'idle' }, 2 * day),
      row('s11', '/home/dev/dotfiles', 'zsh starts in under 80 ms', { phase: 'stopped' }, 4 * day),
    ],
  };
}
