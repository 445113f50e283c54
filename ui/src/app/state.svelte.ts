// What the window shows: which sessions there are, which one is open, which place, dialog and panel. Asks the backend and
// keeps what it said; draws nothing.
import type { Backend, CommandError } from '../backend/backend';
import type { CloseAsked } from '../backend/history';
import type {
  AppInfo,
  CliReport,
  Decision,
  Event,
  NewSession,
  PromptImage,
  SessionInfo,
  Settings,
} from '../bindings/bindings';
import { mergeLimits, type Limit } from '../session/limits';
import { textOf } from '../session/fields';
import { mayChoose } from '../session/can';
import { isBusy, isOver, rowState } from '../session/phase';
import { infoOf } from '../session/past';
import { retryOf, type Retry } from '../session/outcome';
import { livingEntry, pastEntry, type Entry } from '../sidebar/list';
import { ListState } from '../sidebar/listState.svelte';
import type { TimelineActs } from '../timeline/acts';
import { Changes } from './changes.svelte';
import { Comments } from './comments.svelte';
import { Control } from './control';
import { cliTrouble } from './cli';
import { History } from './history.svelte';
import { recall, recallHere, remember, rememberHere } from './memory';
import { Restore } from './restore.svelte';
import { RowActs } from './rowActs.svelte';
import type { SessionStore } from './store.svelte';

export type Place = 'session' | 'inbox' | 'new' | 'setup' | 'loading';
export type DialogName = 'settings' | 'palette' | 'search' | 'keys' | 'delete' | 'restore' | 'revert' | 'close';
export type SettingsSection = 'general' | 'mcp';
export type PanelName = 'changes' | 'todos' | 'tasks' | 'context' | 'inspector';
export type Toast = {
  id: number;
  text: string;
  hint: string | null;
  tone: 'failed' | 'done' | 'note' | 'waiting';
  /** What can be done about it. */
  act: { label: string; run: () => void } | null;
};

/** What was said longer ago is history, in ms. */
const FRESH = 30_000;

export class AppState {
  info = $state.raw<AppInfo | null>(null);
  settings = $state.raw<Settings | null>(null);
  cli = $state.raw<CliReport | null>(null);
  sessions = $state.raw<SessionInfo[]>([]);
  selected = $state<string | null>(null);
  place = $state<Place>('loading');
  dialog = $state<DialogName | null>(null);
  settingsSection = $state<SettingsSection>('general');
  panel = $state<PanelName>('changes');
  /** The drawer of narrow windows. */
  drawer = $state(false);
  /** The session list laid over a rail. */
  sideOpen = $state(false);
  toasts = $state<Toast[]>([]);
  unread = $state.raw<ReadonlySet<string>>(new Set(recall<string[]>('unread', [])));
  /** Which open question of the session is shown. */
  question = $state(0);
  /** Says to the composer: take the focus. */
  focusPrompt = $state(0);
  /** The session whose question shall take the focus as soon as it is shown. */
  wantsQuestion = $state<string | null>(null);
  /** The conversation is shown as a plain document. */
  reader = $state(recall('reader', false));
  /** What the timeline that is shown can be asked for. */
  timeline = $state.raw<TimelineActs | null>(null);
  /** Says to the timeline: go to the end. */
  toEnd = $state(0);
  /** Says to the header: take another title, or ask for one. */
  retitle = $state.raw<{ suggest: boolean } | null>(null);
  /** Says to the inspector: show what a report holds. */
  wantsReport = $state(false);
  newFolder = $state<string | null>(null);
  /** The newest word on the usage limits, whichever session heard it. */
  limits = $state.raw<Limit[]>([]);
  readonly control = new Control(this);
  readonly history = new History(this);
  readonly rows = new RowActs(this);
  readonly restore = new Restore(this);
  readonly changes = new Changes(this);
  readonly comments = new Comments();
  readonly list = new ListState(this);
  /** What becomes of the sessions when the window goes, or the program: what is asked about it. */
  closing = $state.raw<CloseAsked | null>(null);

  private toastId = 0;
  private readonly told = new Set<string>();

  constructor(readonly backend: Backend) {}

  /** Sessions without a process, the newest first. */
  readonly past = $derived.by(() => this.history.past);
  /** The open session's row among them; null where it lives. */
  readonly pastRow = $derived.by(() =>
    this.sessions.some((s) => s.id === this.selected) ? null : (this.past.find((s) => s.id === this.selected) ?? null),
  );
  /** The open session. One without a process is in the same shape. */
  readonly current = $derived.by(
    () => this.sessions.find((s) => s.id === this.selected) ?? (this.pastRow ? infoOf(this.pastRow) : null),
  );
  /** Nothing can be sent to the open session here: it is a terminal's, its folder is gone, or somebody else has it open. */
  readonly readOnly = $derived.by(
    () => this.pastRow !== null && this.history.openedAs(this.selected)?.read_only === true,
  );
  /** Who has the open session open elsewhere. */
  readonly owner = $derived.by(() => this.history.ownerOf(this.selected));
  /** The open session's file is still being read. */
  readonly importing = $derived.by(() => this.history.openedAs(this.selected)?.importing === true);
  readonly store = $derived.by(() => (this.selected === null ? null : this.storeOf(this.selected)));
  /** Whether the files of the open session can be set back: by Claude Code, for a session of ours. */
  readonly canRestore = $derived.by(
    () => this.current !== null && !this.readOnly && mayChoose(this.current, 'rewind_files'),
  );
  /** What tries the newest turn again; null where that did not fail. */
  readonly again = $derived.by((): Retry | null => {
    const { store, current } = this;
    if (!store || !current || isBusy(current.phase) || this.readOnly) return null;
    void store.tick;
    return retryOf(store.view.rows, store.view.turn.number);
  });
  /** Sessions with open questions, the one that waits longest first. */
  readonly waiting = $derived.by(() =>
    this.sessions
      .filter((s) => s.waiting > 0)
      .sort((a, b) => (a.waiting_since ?? '').localeCompare(b.waiting_since ?? '')),
  );
  readonly questions = $derived(this.waiting.reduce((n, s) => n + s.waiting, 0));

  async start(): Promise<void> {
    await this.attempt('The window could not be set up', async () => {
      this.info = await this.backend.appInfo();
      this.applySettings(this.info.settings);
      if (this.info.problem) this.toast('The settings could not be read', this.info.problem);
      await this.backend.subscribe({
        sessions: (list) => this.takeList(list),
        past: (rows, gone, whole) => this.history.takePast(rows, gone, whole),
        anew: (session) => this.history.anew(session),
        events: (session, batch) => this.takeEvents(session, batch),
        open: (session, folder) => {
          if (session !== null) this.open(session);
          else this.openNew(folder);
        },
        settings: (settings) => this.applySettings(settings),
        workspaceChanged: (session) => this.changes.changed(session),
        closeAsked: (asked) => {
          this.closing = asked;
          this.dialog = 'close';
        },
      });
      // A page that is loaded again goes back to where it was; what the app was started with holds once.
      if (firstLoad()) {
        if (this.info.open_session) this.open(this.info.open_session);
        else if (this.info.new_session_folder) this.openNew(this.info.new_session_folder);
      }
      void this.lookForCli();
    });
    if (this.place === 'loading') {
      const last = recallHere('selected') ?? recall<string | null>('selected', null);
      if (last && [...this.sessions, ...this.past].some((s) => s.id === last)) this.open(last);
      else if (this.sessions[0]) this.open(this.sessions[0].id);
      else this.openNew();
      if (last !== this.selected) this.history.want(last);
    }
  }

  /** None was found, or the one that was found does not work. */
  readonly lacksCli = $derived(cliTrouble(this.cli) !== null);

  async lookForCli(): Promise<void> {
    await this.attempt('The search for Claude Code failed', async () => {
      this.cli = await this.backend.findCli();
      if (this.lacksCli && this.place === 'new' && this.newFolder === null) this.place = 'setup';
      if (!this.lacksCli && this.place === 'setup') this.place = 'new';
    });
  }

  storeOf(session: string): SessionStore {
    return this.history.storeOf(session);
  }

  /** Opens a session where that event stands, and points at it. */
  openAt(session: string, seq: number): void {
    this.open(session);
    void this.history.pointAt(session, seq);
  }

  open(session: string): void {
    this.sideOpen = false;
    this.drawer = false;
    this.place = 'session';
    this.question = 0;
    if (this.selected !== session || !this.history.isWatched(session)) {
      this.selected = session;
      remember('selected', session);
      rememberHere('selected', session);
      void this.history.watch(session);
    }
    if (this.unread.has(session)) this.setUnread([...this.unread].filter((id) => id !== session));
  }

  /** The session of that folder in which something happened last. */
  newestOf(workspace: string | null): Entry | null {
    let newest: Entry | null = null;
    for (const info of this.sessions)
      if (info.workspace === workspace && !info.rehearsal && (newest === null || info.since > newest.at))
        newest = livingEntry(info);
    for (const row of this.past)
      if (
        row.workspace === workspace &&
        !row.rehearsal &&
        !row.archived &&
        (newest === null || row.updated_at > newest.at)
      )
        newest = pastEntry(row);
    return newest;
  }

  /** Opens it; one that has ended is resumed. */
  async continueWith(session: string): Promise<void> {
    this.open(session);
    const now = this.current;
    if (now?.id === session && isOver(now.phase) && this.owner === null) await this.rows.resume(session);
  }

  openInbox(): void {
    this.sideOpen = false;
    this.place = 'inbox';
  }

  openNew(folder: string | null = null): void {
    this.sideOpen = false;
    this.newFolder = folder;
    this.place = this.lacksCli && folder === null ? 'setup' : 'new';
  }

  back(): void {
    if (this.selected) this.place = 'session';
  }

  /** Opens the session whose question waits longest, then the next one with each call. */
  nextWaiting(): void {
    const at = this.waiting.findIndex((s) => s.id === this.selected && this.place === 'session');
    const next = this.waiting[(at + 1) % Math.max(1, this.waiting.length)];
    if (!next) return;
    this.open(next.id);
    this.wantsQuestion = next.id;
  }

  step(by: number): void {
    const order = this.list.order();
    const at = order.findIndex((one) => one.id === this.selected);
    const next = order[at + by];
    if (next) this.open(next.id);
  }

  async startSession(request: NewSession, prompt: string, images: PromptImage[]): Promise<boolean> {
    return this.attempt('The session did not start', async () => {
      const first = prompt !== '' || images.length > 0 ? { text: prompt, images } : null;
      const info = await this.backend.startSession(request, first);
      this.open(info.id);
      void this.backend.settings().then(
        (settings) => (this.settings = settings),
        () => undefined,
      );
    });
  }

  async startRehearsal(): Promise<void> {
    await this.attempt('The rehearsal did not start', async () => {
      const info = await this.backend.startRehearsal();
      this.open(info.id);
    });
  }

  async send(session: string, text: string, images: PromptImage[]): Promise<boolean> {
    return this.attempt('The prompt was not sent. It is kept in the field', () =>
      this.backend.sendPrompt(session, text, images),
    );
  }

  /** Sends the newest prompt of the open session again, with its images. */
  async sendAgain(): Promise<void> {
    const now = this.current;
    const last = this.store?.view.rows.findLast((row) => row.kind === 'prompt' && !row.synthetic);
    if (!now || last?.kind !== 'prompt') return;
    const images = last.attachments.flatMap((one) =>
      one.kind === 'image' && one.data && one.media_type ? [{ media_type: one.media_type, data: one.data }] : [],
    );
    await this.send(now.id, last.text, images);
  }

  /** Prompts that are queued run next, unless they are dropped with the turn. */
  async interrupt(dropQueue = false): Promise<void> {
    const now = this.current;
    if (!now || !isBusy(now.phase)) return;
    const queued = dropQueue ? (this.store?.view.queue.waiting ?? []) : [];
    await this.attempt('The turn was not interrupted', async () => {
      const { cancelled } = await this.backend.interrupt(now.id, dropQueue).catch((error: unknown) => {
        // The session says so itself, with what can be done: it is forced to stop.
        if (codeOf(error) === 'no_answer') return { cancelled: [] as string[] };
        throw error;
      });
      // Older versions interrupt and keep the queue; there each prompt is withdrawn by itself.
      const kept = queued.flatMap(({ uuid }) => (uuid === null || cancelled.includes(uuid) ? [] : [uuid]));
      await Promise.all(kept.map((uuid) => this.backend.cancelPrompt(now.id, uuid)));
    });
  }

  async stop(): Promise<void> {
    const now = this.current;
    if (now) await this.attempt('The session was not ended', () => this.backend.stopSession(now.id));
  }

  async resume(): Promise<void> {
    if (this.current) await this.rows.resume(this.current.id);
  }

  /** Goes back to before the newest turn, which failed, and sends its prompt again. */
  async retry(): Promise<void> {
    const [now, again] = [this.current, this.again];
    if (!now || !again) return;
    await this.attempt('The turn was not tried again', () =>
      this.backend.retryTurn(now.id, again.at, again.text, again.images),
    );
  }

  /** Rejects, so that the card can give its buttons back. */
  async answer(session: string, pending: string, decision: Decision): Promise<void> {
    const done = await this.attempt('The answer was not delivered. The question is still open', () =>
      this.backend.answerPermission(session, pending, decision),
    );
    if (!done) throw new Error('not delivered');
  }

  async setMode(mode: string): Promise<void> {
    const now = this.current;
    if (now) await this.attempt('The mode was not changed', () => this.backend.setPermissionMode(now.id, mode));
  }

  async setModel(model: string | null): Promise<void> {
    const now = this.current;
    if (now) await this.attempt('The model was not changed', () => this.backend.setModel(now.id, model));
  }

  async saveSettings(settings: Settings): Promise<boolean> {
    return this.attempt('The settings were not saved', async () => {
      this.applySettings(await this.backend.saveSettings(settings));
    });
  }

  openSettings(section: SettingsSection): void {
    this.settingsSection = section;
    this.dialog = 'settings';
  }

  showPanel(name: PanelName): void {
    this.panel = name;
    this.drawer = true;
  }

  showReport(): void {
    this.showPanel('inspector');
    this.wantsReport = true;
  }

  followSystemTheme(): void {
    applyTheme('system');
  }

  switchTheme(): void {
    if (!this.settings) return;
    const light = document.documentElement.dataset.theme === 'light';
    void this.saveSettings({ ...this.settings, theme: light ? 'dark' : 'light' });
  }

  /** Shows the conversation as a plain document, or as a timeline again; it holds for later sessions too. */
  readPlainly(on: boolean): void {
    this.reader = on;
    remember('reader', on || null);
  }

  async openPath(path: string): Promise<void> {
    const now = this.current;
    if (now) await this.attempt('The file was not opened', () => this.backend.openPath(now.id, path));
  }

  async openUrl(url: string): Promise<void> {
    await this.attempt('The address was not opened', () => this.backend.openUrl(url));
  }

  toast(text: string, hint: string | null, tone: Toast['tone'] = 'failed', act: Toast['act'] = null): void {
    this.toasts = [...this.toasts.slice(-3), { id: ++this.toastId, text, hint, tone, act }];
  }

  dismiss(id: number): void {
    this.toasts = this.toasts.filter((toast) => toast.id !== id);
  }

  /** Runs it; says what went wrong. True if it went well. */
  async attempt(what: string, run: () => Promise<unknown>): Promise<boolean> {
    try {
      await run();
      return true;
    } catch (error) {
      this.toast(what, reason(error));
      return false;
    }
  }

  /** What the agent wants a person to know stands in the corner too, once, and not again when a journal is read. */
  private tellUser(session: string, batch: Event[]): void {
    for (const event of batch) {
      if (event.type !== 'notice' || event.kind !== 'notify_user') continue;
      const key = `${session} ${event.seq}`;
      if (this.told.has(key) || Date.now() - Date.parse(event.at) > FRESH) continue;
      this.told.add(key);
      const level = textOf(event.data, 'level');
      const tone = level === 'error' ? 'failed' : level === 'warning' ? 'waiting' : 'note';
      const title = this.sessions.find((s) => s.id === session)?.title || 'The agent';
      this.toast(textOf(event.data, 'title') ?? title, textOf(event.data, 'message') ?? event.text, tone);
    }
  }

  private takeEvents(session: string, batch: Event[]): void {
    const store = this.history.takeEvents(session, batch);
    this.tellUser(session, batch);
    if (batch.some((event) => event.type === 'rate_limit')) this.hearLimits(session, store);
  }

  /** Takes what a session knows of the usage limits, if that is newer. */
  hearLimits(session: string, { view }: SessionStore): void {
    // A recording tells of limits that were somebody's, once.
    const row = [...this.sessions, ...this.past].find((one) => one.id === session);
    if (view.limits.size > 0 && row?.rehearsal !== true) this.limits = mergeLimits(this.limits, view.limits.values());
  }

  private takeList(list: SessionInfo[]): void {
    const before = new Map(this.sessions.map((s) => [s.id, s]));
    const news = list.filter((s) => {
      const was = before.get(s.id);
      const seen = s.id === this.selected && this.place === 'session' && !document.hidden;
      return was && !seen && rowState(was) === 'running' && rowState(s) !== 'running';
    });
    this.sessions = list;
    if (news.length > 0) this.setUnread([...this.unread, ...news.map((s) => s.id)]);
    this.history.followHeir();
  }

  private setUnread(ids: string[]): void {
    this.unread = new Set(ids);
    remember('unread', [...this.unread]);
  }

  private applySettings(settings: Settings): void {
    this.settings = settings;
    applyTheme(settings.theme);
  }
}

/** What kind of failure a command told of. */
function codeOf(error: unknown): string | null {
  return error && typeof error === 'object' && 'code' in error ? String(error.code) : null;
}

/** What a failed command says, for a person. */
export function reason(error: unknown): string | null {
  if (error && typeof error === 'object' && 'message' in error) return String((error as CommandError).message);
  return typeof error === 'string' ? error : null;
}

function firstLoad(): boolean {
  try {
    if (sessionStorage.getItem('kandev.loaded') !== null) return false;
    sessionStorage.setItem('kandev.loaded', '1');
  } catch {
    // Without storage every load is a first one.
  }
  return true;
}

function applyTheme(theme: Settings['theme']): void {
  try {
    if (theme === 'system') localStorage.removeItem('kandev.theme');
    else localStorage.setItem('kandev.theme', theme);
  } catch {
    // Without storage the theme is set again once the settings are read.
  }
  const light = theme === 'light' || (theme === 'system' && matchMedia('(prefers-color-scheme: light)').matches);
  document.documentElement.dataset.theme = light ? 'light' : 'dark';
}
