// Every act of the window with its key: the palette lists them, the keys overlay shows them, `keydown` runs them.
import { can } from '../session/can';
import { isBusy, isOver } from '../session/phase';
import type { IconName } from '../shared/icons';
import type { AppState, PanelName } from './state.svelte';

export type Act = {
  id: string;
  title: string;
  icon: IconName;
  group: 'Sessions' | 'This session' | 'Panels' | 'Window';
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
      enabled: app.sessions.length > 1,
      run: () => app.step(1),
    },
    {
      id: 'previous',
      title: 'Previous session',
      icon: 'up',
      group: 'Sessions',
      key: 'Alt+ArrowUp',
      enabled: app.sessions.length > 1,
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
    {
      id: 'end',
      title: 'Jump to the end of the timeline',
      icon: 'down',
      group: 'This session',
      key: 'Mod+End',
      enabled: now !== null,
      run: () => (app.toEnd += 1),
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
      enabled: now !== null && isOver(phase),
      run: () => void app.resume(),
    },
    {
      id: 'stop',
      title: 'End the session',
      icon: 'power',
      group: 'This session',
      enabled: now !== null && !isOver(phase),
      run: () => void app.stop(),
    },
    {
      id: 'remove',
      title: 'Remove the session from the list',
      icon: 'x',
      group: 'This session',
      enabled: now !== null && isOver(phase),
      run: () => void app.remove(),
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
      id: 'cli',
      title: 'Look for Claude Code again',
      icon: 'terminal',
      group: 'Window',
      enabled: true,
      run: () => void app.lookForCli(),
    },
  ];
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
  if (event.shiftKey && main !== '?') return false;
  return event.key.toLowerCase() === main.toLowerCase();
}
