// Every act of the window with its key: the palette lists them, the keys overlay shows them, `keydown` runs them.
import { can } from '../session/can';
import { isBusy, isOver } from '../session/phase';
import type { Mark } from '../backend/find';
import type { IconName } from '../shared/icons';
import { isAtRest, livingEntry, pastEntry, type Entry } from '../sidebar/list';
import type { Copied } from '../timeline/copying';
import type { Wanted } from './restore.svelte';
import { exportFormats } from './rowActs.svelte';
import type { AppState, PanelName } from './state.svelte';

export type Act = {
  id: string;
  title: string;
  icon: IconName;
  group: 'Sessions' | 'This session' | 'Timeline' | 'Panels' | 'Window';
  /** `Mod` is Ctrl, or Command on a Mac. */
  key?: string;
  /** Works while a person types, too. Keys without a modifier never do. */
  enabled: boolean;
  run: () => void;
};

const panels: { name: PanelName; title: string; icon: IconName }[] = [
  { name: 'changes', title: 'Changes', icon: 'diff' },
  { name: 'todos', title: 'Todos', icon: 'todo' },
  { name: 'tasks', title: 'Tasks', icon: 'layers' },
  { name: 'context', title: 'Context', icon: 'gauge' },
  { name: 'inspector', title: 'Inspector', icon: 'braces' },
];

export function acts(app: AppState): Act[] {
  const now = app.place === 'session' ? app.current : null;
  const phase = now?.phase ?? 'stopped';
  const past = now === null ? null : app.pastRow;
  const entry: Entry | null = past ? pastEntry(past) : now && livingEntry(now);
  const free = app.owner === null;
  const prompt = now === null ? null : lastPrompt(app);
  const newest = app.newestOf(app.current?.workspace ?? app.settings?.recent_folders[0] ?? null);
  const queued = now === null ? 0 : (app.store?.view.queue.waiting.length ?? 0);
  return [
    {
      id: 'new',
      title: 'New session',
      icon: 'plus',
      group: 'Sessions',
      key: 'Mod+N',
      enabled: true,
      run: () => app.openNew(),
    },
    {
      id: 'continue',
      title: 'Continue the newest session of this folder',
      icon: 'retry',
      group: 'Sessions',
      key: 'Mod+Shift+N',
      enabled: newest !== null && (now === null || newest.id !== now.id || isOver(phase)),
      run: () => newest && void app.continueWith(newest.id),
    },
    {
      id: 'search',
      title: 'Search in conversations',
      icon: 'search',
      group: 'Sessions',
      key: 'Mod+Shift+F',
      enabled: true,
      run: () => (app.dialog = 'search'),
    },
    {
      id: 'rehearsal',
      title: 'Try a rehearsal session',
      icon: 'play',
      group: 'Sessions',
      enabled: true,
      run: () => void app.startRehearsal(),
    },
    {
      id: 'inbox',
      title: 'Inbox',
      icon: 'inbox',
      group: 'Sessions',
      key: 'Mod+I',
      enabled: true,
      run: () => app.openInbox(),
    },
    {
      id: 'waiting',
      title: 'Next question that waits',
      icon: 'wait',
      group: 'Sessions',
      key: 'Mod+J',
      enabled: app.waiting.length > 0,
      run: () => app.nextWaiting(),
    },
    {
      id: 'next',
      title: 'Next session',
      icon: 'down',
      group: 'Sessions',
      key: 'Alt+ArrowDown',
      enabled: app.sessions.length + app.past.length > 1,
      run: () => app.step(1),
    },
    {
      id: 'previous',
      title: 'Previous session',
      icon: 'up',
      group: 'Sessions',
      key: 'Alt+ArrowUp',
      enabled: app.sessions.length + app.past.length > 1,
      run: () => app.step(-1),
    },
    {
      id: 'prompt',
      title: 'Go to the prompt',
      icon: 'prompt',
      group: 'This session',
      key: 'Mod+L',
      enabled: now !== null,
      run: () => (app.focusPrompt += 1),
    },
    {
      id: 'question',
      title: 'Go to the question',
      icon: 'ask',
      group: 'This session',
      key: 'g',
      enabled: (now?.waiting ?? 0) > 0,
      run: () => (app.wantsQuestion = app.selected),
    },
    ...timelineActs(app),
    {
      id: 'end',
      title: 'Jump to the end of the timeline',
      icon: 'down',
      group: 'Timeline',
      key: 'Mod+End',
      enabled: now !== null,
      run: () => (app.toEnd += 1),
    },
    {
      id: 'reader',
      title: app.reader ? 'Show the timeline' : 'Show as a plain document, for screen readers',
      icon: 'plan',
      group: 'This session',
      key: 'Mod+Shift+V',
      enabled: now !== null,
      run: () => app.readPlainly(!app.reader),
    },
    {
      id: 'interrupt',
      title: 'Interrupt the turn',
      icon: 'stop',
      group: 'This session',
      key: 'Esc Esc',
      enabled: now !== null && isBusy(phase),
      run: () => void app.interrupt(),
    },
    {
      id: 'interrupt-drop',
      title: 'Interrupt and drop the queue',
      icon: 'stop',
      group: 'This session',
      key: 'Mod+.',
      enabled: now !== null && isBusy(phase) && queued > 0,
      run: () => void app.interrupt(true),
    },
    {
      id: 'force-stop',
      title: 'Force stop',
      icon: 'power',
      group: 'This session',
      key: 'Mod+Shift+X',
      enabled: now?.force_stop === true,
      run: () => void app.stop(),
    },
    {
      id: 'retry',
      title: 'Retry from the last good message',
      icon: 'retry',
      group: 'This session',
      key: 'Mod+Shift+R',
      enabled: now !== null && app.again !== null,
      run: () => void app.retry(),
    },
    {
      id: 'restore',
      title: 'Restore files to the newest prompt',
      icon: 'restore',
      group: 'This session',
      key: 'Mod+Shift+B',
      enabled: prompt !== null && now !== null && app.canRestore,
      run: () => prompt && void app.restore.ask(prompt),
    },
    {
      id: 'restore-undo',
      title: 'Undo the restore of files',
      icon: 'undo',
      group: 'This session',
      enabled: app.restore.last !== null && app.restore.last.session === now?.id,
      run: () => void app.restore.undo(),
    },
    {
      id: 'background',
      title: 'Move running work to the background',
      icon: 'layers',
      group: 'This session',
      key: 'Mod+B',
      enabled: now !== null && isBusy(phase) && can(now, 'background_tasks'),
      run: () => void app.control.toBackground(null),
    },
    {
      id: 'rename',
      title: 'Rename the session',
      icon: 'pencil',
      group: 'This session',
      key: 'F2',
      enabled: now !== null,
      run: () => (app.retitle = { suggest: false }),
    },
    {
      id: 'suggest-title',
      title: 'Suggest a title',
      icon: 'think',
      group: 'This session',
      enabled: now !== null && can(now, 'generate_session_title'),
      run: () => (app.retitle = { suggest: true }),
    },
    {
      id: 'report',
      title: 'Save a report',
      icon: 'file',
      group: 'This session',
      enabled: now !== null,
      run: () => app.showReport(),
    },
    {
      id: 'resume',
      title: 'Resume the session',
      icon: 'retry',
      group: 'This session',
      enabled: now !== null && isOver(phase) && free && !(past?.rehearsal || past?.folder_gone),
      run: () => void app.resume(),
    },
    {
      id: 'fork',
      title: 'Fork the session',
      icon: 'fork',
      group: 'This session',
      key: 'Mod+Shift+D',
      enabled: now !== null && !now.rehearsal && past?.folder_gone !== true,
      run: () => now && void app.rows.fork(now.id),
    },
    {
      id: 'window',
      title: 'Open the session in a new window',
      icon: 'window',
      group: 'This session',
      key: 'Mod+Shift+O',
      enabled: now !== null,
      run: () => now && void app.rows.openWindow(now.id),
    },
    {
      id: 'archive',
      title: past?.archived ? 'Take the session out of the archive' : 'Archive the session',
      icon: 'archive',
      group: 'This session',
      key: 'Mod+Shift+A',
      enabled: entry !== null && isAtRest(entry),
      run: () => entry && void app.rows.archive(entry.id, past?.archived !== true),
    },
    ...exportFormats.map((format): Act => ({
      id: `export-${format.value}`,
      title: `Export the session as ${format.name}`,
      icon: 'save',
      group: 'This session',
      key: format.value === 'markdown' ? 'Mod+Shift+S' : undefined,
      enabled: now !== null,
      run: () => now && void app.rows.export(now.id, format.value),
    })),
    {
      id: 'stop',
      title: 'End the session',
      icon: 'power',
      group: 'This session',
      enabled: now !== null && !isOver(phase),
      run: () => void app.stop(),
    },
    {
      id: 'delete',
      title: 'Delete the session…',
      icon: 'trash',
      group: 'This session',
      enabled: entry !== null && free,
      run: () => entry && app.rows.askDelete(entry),
    },
    ...panels.map((panel, i): Act => ({
      id: panel.name,
      title: `Show ${panel.title}`,
      icon: panel.icon,
      group: 'Panels',
      key: `Mod+${i + 1}`,
      enabled: now !== null,
      run: () => app.showPanel(panel.name),
    })),
    {
      id: 'palette',
      title: 'Command palette',
      icon: 'search',
      group: 'Window',
      key: 'Mod+K',
      enabled: true,
      run: () => (app.dialog = 'palette'),
    },
    {
      id: 'settings',
      title: 'Settings',
      icon: 'settings',
      group: 'Window',
      key: 'Mod+,',
      enabled: true,
      run: () => app.openSettings('general'),
    },
    {
      id: 'mcp',
      title: 'MCP servers',
      icon: 'plug',
      group: 'Window',
      enabled: true,
      run: () => app.openSettings('mcp'),
    },
    {
      id: 'keys',
      title: 'Keys',
      icon: 'keys',
      group: 'Window',
      key: '?',
      enabled: true,
      run: () => (app.dialog = 'keys'),
    },
    {
      id: 'theme',
      title: 'Switch between light and dark',
      icon: 'half',
      group: 'Window',
      enabled: app.settings !== null,
      run: () => app.switchTheme(),
    },
    {
      id: 'quit',
      title: 'Quit Kandev Desktop',
      icon: 'power',
      group: 'Window',
      key: 'Mod+Q',
      enabled: true,
      run: () => void app.attempt('The program did not end', () => app.backend.quitApp()),
    },
    {
      id: 'cli',
      title: 'Look for Claude Code again',
      icon: 'terminal',
      group: 'Window',
      enabled: true,
      run: () => void app.lookForCli(),
    },
  ];
}

const jumps: { what: Mark; key: string; icon: IconName; word: string }[] = [
  { what: 'prompt', key: 'p', icon: 'prompt', word: 'prompt' },
  { what: 'error', key: 'e', icon: 'fail', word: 'error' },
  { what: 'edit', key: 'd', icon: 'diff', word: 'edit of a file' },
  { what: 'question', key: 'q', icon: 'ask', word: 'question' },
];

const copies: { what: Copied; key: string; title: string }[] = [
  { what: 'row', key: 'c', title: 'Copy the row as Markdown' },
  { what: 'turn', key: 'Shift+C', title: 'Copy the turn as Markdown' },
  { what: 'selection', key: 'Mod+Shift+C', title: 'Copy the selection as Markdown' },
];

function timelineActs(app: AppState): Act[] {
  const shown = app.place === 'session' ? app.timeline : null;
  const act = (id: string, title: string, icon: IconName, key: string, run: () => void): Act => ({
    id,
    title,
    icon,
    group: 'Timeline',
    key,
    enabled: shown !== null,
    run,
  });
  return [
    act('find', 'Find in this session', 'search', 'Mod+F', () => shown?.find()),
    act('find-next', 'Next place that was found', 'search', 'Mod+G', () => shown?.findNext(false)),
    act('find-previous', 'Previous place that was found', 'search', 'Mod+Shift+G', () => shown?.findNext(true)),
    ...jumps.flatMap(({ what, key, icon, word }) => [
      act(`next-${what}`, `Next ${word}`, icon, key, () => shown?.go(what, false)),
      act(`previous-${what}`, `Previous ${word}`, icon, `Shift+${key.toUpperCase()}`, () => shown?.go(what, true)),
    ]),
    ...copies.map(({ what, key, title }) => act(`copy-${what}`, title, 'copy', key, () => shown?.copy(what))),
  ];
}

/** The newest prompt of the open session to which files can be set back. */
function lastPrompt(app: AppState): Wanted | null {
  const row = app.store?.view.rows.findLast((one) => one.kind === 'prompt' && !one.synthetic && one.uuid !== null);
  return row?.kind === 'prompt' && row.uuid !== null && app.selected !== null
    ? { session: app.selected, uuid: row.uuid, text: row.text }
    : null;
}

/** `Ctrl+K` or `Cmd+K`; arrows by word. */
export function keyText(key: string, mod: string): string {
  return key.replace('Mod', mod).replace('ArrowDown', 'Down').replace('ArrowUp', 'Up');
}

/** Whether the event is that key. */
export function isKey(event: KeyboardEvent, key: string, mac: boolean): boolean {
  const parts = key.split('+');
  const main = parts.at(-1) ?? '';
  const wantsMod = parts.includes('Mod');
  const wantsAlt = parts.includes('Alt');
  const mod = mac ? event.metaKey : event.ctrlKey;
  const other = mac ? event.ctrlKey : event.metaKey;
  if (mod !== wantsMod || event.altKey !== wantsAlt || other) return false;
  // A question mark needs Shift on most keyboards.
  if (event.shiftKey !== parts.includes('Shift') && main !== '?') return false;
  return event.key.toLowerCase() === main.toLowerCase();
}
