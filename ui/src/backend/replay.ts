// A backend without a program behind it: plays recorded or written events into the window. For tests, pictures and work in
// a browser; the app itself never loads it.
import type {
  AppInfo,
  CliReport,
  ContextUsage,
  Decision,
  Event,
  EventBody,
  FirstPrompt,
  ImageData,
  InterruptReceipt,
  McpEntry,
  McpServer,
  McpServers,
  McpServerStatus,
  NewSession,
  PromptImage,
  RawLine,
  SavedReport,
  SessionInfo,
  Settings,
  ToolCall,
  UsageReport,
} from '../bindings/bindings';
import type { Backend, CommandError, Feed } from './backend';
import type {
  CloseAsked,
  CloseChoice,
  ExportFormat,
  Hit,
  OpenedSession,
  Owner,
  PastSession,
  Restored,
  Rewind,
  SearchAnswer,
  Slice,
} from './history';
import {
  commit,
  diffOf,
  noRepository,
  playedEditors,
  previewOf,
  sidesOf,
  stage as staged,
  type EditorInfo,
  type FileSides,
  type GitChanges,
  type GitCommit,
  type GitDiff,
  type PlayedGit,
  type Reverted,
  type RevertPreview,
  type WorkspaceWatch,
} from './changes';
import type { OutputHits, OutputPart, OutputSource } from './outputs';
import type { Mark, SessionHits } from './find';
import { findIn, markIn } from './found';
import { sliceAfter, sliceAround, sliceAtEnd, sliceBefore } from './recorded';
import { foundIn, linesOf, partOf, plainOf, textOfCall } from './screen';
import { textOf } from '../session/fields';
import { folded } from '../session/journal';

export type Played = {
  info: SessionInfo;
  events: Event[];
  /** Milliseconds between two events; 0 plays all at once. */
  pace?: number;
  mcp?: McpServerStatus[];
  /** What it answers when it is asked. */
  context?: ContextUsage;
  usage?: UsageReport;
  /** By task, and by tool call what was stored of a cut one. */
  outputs?: Record<string, string>;
  lines?: RawLine[];
};

/** A session without a process. */
export type Kept = {
  row: PastSession;
  events: Event[];
  importing?: boolean;
};

export type Stage = {
  app: AppInfo;
  cli: CliReport;
  sessions: Played[];
  mcp?: McpServers;
  past?: Kept[];
  /** Journal rows in a slice. */
  slice?: number;
  /** What a rewind would change. */
  rewind?: Rewind;
  /** By session; one without has no repository. */
  git?: Record<string, PlayedGit>;
  editors?: EditorInfo[];
};

const SLICE = 300;

/** What was asked of the backend, for tests. */
export type Asked = { name: string; args: unknown[] };

export class ReplayBackend implements Backend {
  readonly asked: Asked[] = [];
  /** The next call of that name rejects with it. */
  readonly failing = new Map<string, CommandError>();
  private feed: Feed | null = null;
  private readonly sessions: Map<string, Played>;
  private readonly kept: Map<string, Kept>;
  private readonly watching = new Map<string, number>();
  private settingsNow: Settings;
  private mcpNow: McpServers;

  constructor(private readonly stage: Stage) {
    this.sessions = new Map(
      stage.sessions.map((played) => [played.info.id, { ...played, events: [...played.events] }]),
    );
    this.kept = new Map((stage.past ?? []).map((kept) => [kept.row.id, { ...kept, events: [...kept.events] }]));
    this.settingsNow = stage.app.settings;
    this.mcpNow = stage.mcp ?? { servers: [], secrets_in: 'keyring', warning: null };
  }

  appInfo(): Promise<AppInfo> {
    return this.answer('appInfo', [], () => this.stage.app);
  }

  async subscribe(feed: Feed): Promise<void> {
    this.feed = feed;
    this.sayList();
    feed.past(
      [...this.kept.values()].map((kept) => kept.row),
      [],
      true,
    );
  }

  open(session: string, at: number | null): Promise<OpenedSession> {
    return this.answer('open', [session, at], () => {
      const kept = this.kept.get(session);
      const owner: Owner | null = kept?.row.owner ?? null;
      const journal = folded(this.journal(session));
      const rows = this.stage.slice ?? SLICE;
      const paced = (this.sessions.get(session)?.pace ?? 0) > 0;
      // What is played at a pace has not been said yet.
      const said = paced ? [] : journal;
      return {
        slice: at === null ? sliceAtEnd(said, rows) : sliceAround(said, at, rows),
        read_only: kept !== undefined && (kept.row.source === 'terminal' || owner !== null || kept.row.folder_gone),
        importing: kept?.importing ?? false,
        owner,
      };
    });
  }

  slice(session: string, where: { before: number } | { after: number }): Promise<Slice> {
    return this.answer('slice', [session, where], () => {
      const journal = folded(this.journal(session));
      const rows = this.stage.slice ?? SLICE;
      return 'before' in where ? sliceBefore(journal, where.before, rows) : sliceAfter(journal, where.after, rows);
    });
  }

  watch(session: string, afterSeq: number): Promise<void> {
    return this.answer('watch', [session, afterSeq], () => {
      const played = this.sessions.get(session) ?? { pace: 0, events: this.journal(session) };
      this.stop(session);
      const rest = played.events.filter((event) => event.seq > afterSeq);
      if (!played.pace) {
        if (rest.length > 0) this.feed?.events(session, rest);
        this.watching.set(session, 0);
        return;
      }
      let at = 0;
      const timer = window.setInterval(() => {
        const event = rest[at++];
        if (event) this.feed?.events(session, [event]);
        else this.stop(session);
      }, played.pace);
      this.watching.set(session, timer);
    });
  }

  unwatch(session: string): Promise<void> {
    return this.answer('unwatch', [session], () => this.stop(session));
  }

  /** Adds an event to a session's journal and says it, as the program would. */
  say(session: string, body: EventBody, change: Partial<SessionInfo> = {}): void {
    const played = this.found(session);
    const seq = (played.events.at(-1)?.seq ?? 0) + 1;
    const event = { seq, at: new Date().toISOString(), ...body } as Event;
    played.events.push(event);
    played.info = { ...played.info, ...change, last_seq: seq };
    if (this.watching.has(session)) this.feed?.events(session, [event]);
    this.sayList();
  }

  startSession(request: NewSession, first: FirstPrompt | null): Promise<SessionInfo> {
    return this.answer('startSession', [request, first], () => {
      const info: SessionInfo = {
        ...blankInfo(`new-${this.sessions.size}`, request.workspace, 'New session'),
        policy: request.policy,
        model: request.model,
      };
      this.sessions.set(info.id, { info, events: [] });
      this.sayList();
      if (first) this.sayPrompt(info.id, first.text, first.images);
      return info;
    });
  }

  startRehearsal(): Promise<SessionInfo> {
    return this.answer('startRehearsal', [], () => {
      const first = [...this.sessions.values()][0];
      if (!first) throw { code: 'not_found', message: 'there is nothing to play' } satisfies CommandError;
      return first.info;
    });
  }

  sendPrompt(session: string, text: string, images: PromptImage[]): Promise<void> {
    return this.answer('sendPrompt', [session, text, images], () => this.sayPrompt(session, text, images));
  }

  private sayPrompt(session: string, text: string, images: PromptImage[]): void {
    const attachments = images.map((image) => ({
      kind: 'image',
      media_type: image.media_type,
      url: null,
      data: image.data,
    }));
    this.say(session, { type: 'user_message', text, uuid: null, attachments, synthetic: false });
  }

  interrupt(session: string, cancelQueued: boolean): Promise<InterruptReceipt> {
    return this.answer('interrupt', [session, cancelQueued], () => {
      this.change(session, { phase: 'idle' });
      return { still_queued: [], cancelled: [] };
    });
  }

  cancelPrompt(session: string, uuid: string): Promise<boolean> {
    return this.answer('cancelPrompt', [session, uuid], () => {
      const prompt = this.found(session).events.findLast((e) => e.type === 'user_message' && e.uuid === uuid);
      if (prompt?.type !== 'user_message') return false;
      const data = { text: prompt.text, uuid, images: [] };
      this.say(session, { type: 'notice', kind: 'prompt_returned', text: 'The prompt was withdrawn', data });
      return true;
    });
  }

  stopSession(session: string): Promise<void> {
    return this.answer('stopSession', [session], () => this.change(session, { phase: 'stopped' }));
  }

  resumeSession(session: string): Promise<SessionInfo> {
    return this.answer('resumeSession', [session], () => {
      const kept = this.kept.get(session);
      if (!kept) this.change(session, { phase: 'idle', problem: null });
      return kept ? this.revive(kept, session) : this.found(session).info;
    });
  }

  forkSession(session: string, at: string | null): Promise<SessionInfo> {
    return this.answer('forkSession', [session, at], () => {
      const row = this.kept.get(session)?.row ?? this.found(session).info;
      const info = blankInfo(`fork-${this.sessions.size}`, row.workspace, row.title);
      this.sessions.set(info.id, { info, events: [...this.journal(session)] });
      this.sayList();
      return info;
    });
  }

  retryTurn(session: string, at: string | null, text: string, images: PromptImage[]): Promise<void> {
    return this.answer('retryTurn', [session, at, text, images], () => {
      const data = { message_uuid: at };
      this.say(session, { type: 'notice', kind: 'retried_from', text: 'The turn is tried again', data });
      this.sayPrompt(session, text, images);
    });
  }

  relocateSession(session: string, folder: string): Promise<string> {
    return this.answer('relocateSession', [session, folder], () => {
      this.changeKept(session, { workspace: folder, folder_gone: false });
      return session;
    });
  }

  recreateFolder(session: string): Promise<void> {
    return this.answer('recreateFolder', [session], () => this.changeKept(session, { folder_gone: false }));
  }

  archiveSession(session: string, archived: boolean): Promise<void> {
    return this.answer('archiveSession', [session, archived], () => this.changeKept(session, { archived }));
  }

  deleteSession(session: string, cliFile: boolean): Promise<void> {
    return this.answer('deleteSession', [session, cliFile], () => {
      if (this.sessions.delete(session)) this.sayList();
      if (this.kept.delete(session)) this.feed?.past([], [session], false);
    });
  }

  exportSession(session: string, format: ExportFormat): Promise<{ path: string }> {
    const ending = { markdown: 'md', json: 'json', html: 'html' }[format];
    return this.answer('exportSession', [session, format], () => ({
      path: `/home/dev/Downloads/${this.kept.get(session)?.row.title ?? this.found(session).info.title}.${ending}`,
    }));
  }

  searchSessions(words: string, limit: number): Promise<SearchAnswer> {
    return this.answer('searchSessions', [words, limit], () => {
      const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
      const hits: Hit[] = [];
      for (const [row, events] of this.all())
        for (const event of folded(events)) {
          const text = wanted.length > 0 ? saidIn(event) : null;
          if (text === null || !wanted.every((word) => text.toLowerCase().includes(word))) continue;
          hits.push({ ...row, seq: event.seq, at: event.at, ...excerpt(text, wanted), kind: kindOf(event) });
        }
      return {
        hits: hits.sort((a, b) => b.at.localeCompare(a.at)).slice(0, limit),
        more: hits.length > limit,
        indexing: null,
      };
    });
  }

  findInSession(session: string, words: string, after: number, limit: number): Promise<SessionHits> {
    return this.answer('findInSession', [session, words, after, limit], () =>
      findIn(folded(this.journal(session)), words, after, limit),
    );
  }

  sessionMark(session: string, what: Mark, from: number, back: boolean): Promise<number | null> {
    return this.answer('sessionMark', [session, what, from, back], () =>
      markIn(folded(this.journal(session)), what, from, back),
    );
  }

  rewindPreview(session: string, messageUuid: string): Promise<Rewind> {
    return this.answer('rewindPreview', [session, messageUuid], () => this.rewind());
  }

  rewindSession(session: string, messageUuid: string): Promise<Restored> {
    return this.answer('rewindSession', [session, messageUuid], () => {
      const restored = { snapshot: 'snapshot-1', files: this.rewind().files_changed, left: [] };
      const data = { ...restored, message_uuid: messageUuid };
      this.say(session, { type: 'notice', kind: 'rewound', text: 'Files were restored', data });
      return restored;
    });
  }

  redoRewind(session: string, snapshot: string): Promise<Restored> {
    return this.answer('redoRewind', [session, snapshot], () => ({
      snapshot: 'snapshot-2',
      files: this.rewind().files_changed,
      left: [],
    }));
  }

  openWindow(session: string): Promise<void> {
    return this.answer('openWindow', [session], () => undefined);
  }

  answerClose(choice: CloseChoice, remember: boolean): Promise<void> {
    return this.answer('answerClose', [choice, remember], () => undefined);
  }

  quitApp(): Promise<void> {
    return this.answer('quitApp', [], () => undefined);
  }

  /** The rest of a file that was being read is there now; its journal is another one than what was shown of it. */
  readIn(session: string, events: Event[]): void {
    const kept = this.kept.get(session);
    if (!kept) return;
    this.kept.set(session, { ...kept, events, importing: false });
    this.feed?.anew?.(session);
  }

  /** Asks as the program does when the window is closed. */
  askToClose(asked: CloseAsked): void {
    this.feed?.closeAsked?.(asked);
  }

  private rewind(): Rewind {
    return (
      this.stage.rewind ?? {
        can_rewind: true,
        files_changed: ['src/delivery/retry.rs', 'src/delivery/worker.rs'],
        insertions: 12,
        deletions: 4,
        skipped_links: [],
        error: null,
      }
    );
  }

  private journal(session: string): Event[] {
    return this.kept.get(session)?.events ?? this.found(session).events;
  }

  private *all(): Generator<
    [Pick<Hit, 'session' | 'cli_session_id' | 'title' | 'workspace' | 'source' | 'archived'>, Event[]]
  > {
    for (const { info, events } of this.sessions.values())
      yield [{ ...whose(info), source: 'kandev', archived: false }, events];
    for (const { row, events } of this.kept.values())
      yield [{ ...whose(row), source: row.source, archived: row.archived }, events];
  }

  /** A past session lives again: one from a terminal under a new id, ours under its own. */
  private revive(kept: Kept, session: string): SessionInfo {
    const { row } = kept;
    const id = row.source === 'terminal' ? `ours-${row.id}` : row.id;
    const info = { ...blankInfo(id, row.workspace, row.title), cli_session_id: row.cli_session_id };
    this.kept.delete(session);
    this.sessions.set(id, { info, events: kept.events });
    this.feed?.past([], [session], false);
    this.sayList();
    return info;
  }

  private changeKept(session: string, change: Partial<PastSession>): void {
    const kept = this.kept.get(session);
    if (!kept) throw { code: 'not_found', message: `there is no session ${session}` } satisfies CommandError;
    kept.row = { ...kept.row, ...change };
    this.feed?.past([kept.row], [], false);
  }

  removeSession(session: string): Promise<void> {
    return this.answer('removeSession', [session], () => {
      this.sessions.delete(session);
      this.sayList();
    });
  }

  answerPermission(session: string, pendingId: string, decision: Decision): Promise<void> {
    return this.answer('answerPermission', [session, pendingId, decision], () => {
      const waiting = Math.max(0, this.found(session).info.waiting - 1);
      this.say(session, this.resolved(session, pendingId, decision), {
        waiting,
        phase: waiting > 0 ? 'approval' : 'thinking',
      });
    });
  }

  /** What the session says of an answer: of a permission request, or of an MCP server's question. */
  private resolved(session: string, id: string, decision: Decision): EventBody {
    const isElicitation = this.found(session).events.some(
      (event) => event.type === 'notice' && event.kind === 'elicitation' && textOf(event.data, 'request_id') === id,
    );
    if (!isElicitation) return { type: 'permission_resolved', pending_id: id, behavior: decision.behavior, by: 'user' };
    const action = decision.behavior === 'allow' ? 'accept' : decision.interrupt ? 'cancel' : 'decline';
    const content = decision.behavior === 'allow' ? decision.updated_input : undefined;
    return {
      type: 'notice',
      kind: 'elicitation_resolved',
      text: action,
      data: { request_id: id, action, by: 'user', content },
    };
  }

  setPermissionMode(session: string, mode: string): Promise<void> {
    return this.answer('setPermissionMode', [session, mode], () =>
      this.say(session, { type: 'mode_changed', mode }, { permission_mode: mode }),
    );
  }

  setModel(session: string, model: string | null): Promise<void> {
    return this.answer('setModel', [session, model], () => {
      if (model !== null) this.say(session, { type: 'model_changed', model }, { model });
    });
  }

  setEffort(session: string, effort: string | null): Promise<void> {
    return this.answer('setEffort', [session, effort], () => this.change(session, { effort }));
  }

  setThinking(session: string, maxTokens: number | null): Promise<void> {
    return this.answer('setThinking', [session, maxTokens], () => undefined);
  }

  renameSession(session: string, title: string): Promise<void> {
    return this.answer('renameSession', [session, title], () => {
      if (this.kept.has(session)) this.changeKept(session, { title });
      else this.say(session, { type: 'title_changed', title }, { title });
    });
  }

  generateTitle(session: string): Promise<string> {
    return this.answer('generateTitle', [session], () => {
      const title = 'Backoff for webhook deliveries';
      this.say(session, { type: 'title_changed', title }, { title });
      return title;
    });
  }

  contextUsage(session: string): Promise<ContextUsage> {
    return this.answer('contextUsage', [session], () => this.played(session, 'context'));
  }

  usage(session: string): Promise<UsageReport> {
    return this.answer('usage', [session], () => this.played(session, 'usage'));
  }

  stopTask(session: string, task: string): Promise<void> {
    return this.answer('stopTask', [session, task], () =>
      this.say(session, { type: 'task_notification', task_id: task, status: 'stopped' }),
    );
  }

  backgroundTasks(session: string, toolCallId: string | null): Promise<void> {
    return this.answer('backgroundTasks', [session, toolCallId], () => undefined);
  }

  toolOutput(session: string, source: OutputSource, from: number, count: number): Promise<OutputPart> {
    return this.answer('toolOutput', [session, source, from, count], () => {
      const { text, done } = this.printed(session, source);
      return partOf(text, from, count, done);
    });
  }

  findInOutput(session: string, source: OutputSource, words: string, limit: number): Promise<OutputHits> {
    return this.answer('findInOutput', [session, source, words, limit], () =>
      foundIn(this.printed(session, source).text, words, limit),
    );
  }

  outputText(session: string, source: OutputSource): Promise<string> {
    return this.answer('outputText', [session, source], () =>
      linesOf(this.printed(session, source).text).map(plainOf).join('\n'),
    );
  }

  saveOutput(session: string, source: OutputSource): Promise<{ path: string }> {
    return this.answer('saveOutput', [session, source], () => ({ path: '/home/dev/kandev/output.txt' }));
  }

  private printed(session: string, source: OutputSource): { text: string; done: boolean } {
    const journal = this.journal(session);
    if (source.kind === 'call') {
      const call = journal.findLast(
        (event) =>
          (event.type === 'tool_call' || event.type === 'tool_update') && event.tool_call_id === source.tool_call_id,
      ) as ToolCall | undefined;
      if (call) return { text: textOfCall(call, source.stream), done: true };
    } else {
      const id = source.kind === 'task' ? source.task_id : source.tool_call_id;
      const text = this.sessions.get(session)?.outputs?.[id];
      const over = journal.some((event) => event.type === 'task_notification' && event.task_id === id);
      if (text !== undefined) return { text, done: source.kind === 'stored' || over };
    }
    throw { code: 'not_found', message: 'nothing is kept of it' } satisfies CommandError;
  }

  rawLines(session: string, after: number, limit: number): Promise<RawLine[]> {
    return this.answer('rawLines', [session, after, limit], () => {
      const lines = this.found(session).lines ?? [];
      const from = lines.findIndex((line) => line.index > after);
      return from < 0 ? [] : lines.slice(from, from + limit);
    });
  }

  saveReport(session: string): Promise<SavedReport> {
    return this.answer('saveReport', [session], () => ({ path: '/home/dev/kandev-report.zip' }));
  }

  mcpServers(): Promise<McpServers> {
    return this.answer('mcpServers', [], () => this.mcpNow);
  }

  /** Secrets are kept and never given back, as the program does it. */
  saveMcpServers(servers: McpServer[]): Promise<McpServers> {
    return this.answer('saveMcpServers', [servers], () => {
      this.mcpNow = { ...this.mcpNow, servers: servers.map(withoutSecrets) };
      return this.mcpNow;
    });
  }

  mcpStatus(session: string): Promise<McpServerStatus[]> {
    return this.answer('mcpStatus', [session], () => this.found(session).mcp ?? []);
  }

  mcpToggle(session: string, name: string, enabled: boolean): Promise<void> {
    return this.answer('mcpToggle', [session, name, enabled], () =>
      this.changeMcp(session, name, enabled ? 'connected' : 'disabled'),
    );
  }

  mcpReconnect(session: string, name: string): Promise<void> {
    return this.answer('mcpReconnect', [session, name], () => this.changeMcp(session, name, 'connected'));
  }

  private changeMcp(session: string, name: string, status: string): void {
    const played = this.found(session);
    played.mcp = (played.mcp ?? []).map((one) => (one.name === name ? { ...one, status, error: null } : one));
  }

  findCli(): Promise<CliReport> {
    return this.answer('findCli', [], () => this.stage.cli);
  }

  settings(): Promise<Settings> {
    return this.answer('settings', [], () => this.settingsNow);
  }

  saveSettings(settings: Settings): Promise<Settings> {
    return this.answer('saveSettings', [settings], () => (this.settingsNow = settings));
  }

  pickFolder(): Promise<string | null> {
    return this.answer('pickFolder', [], () => '/home/dev/code/harbor-web');
  }

  pickFile(): Promise<string | null> {
    return this.answer('pickFile', [], () => '/usr/local/bin/claude');
  }

  /** The working copies as they are now. */
  private readonly git = new Map<string, PlayedGit>();

  private gitOf(session: string): PlayedGit | undefined {
    return this.git.get(session) ?? this.stage.git?.[session];
  }

  gitChanges(session: string): Promise<GitChanges> {
    return this.answer('gitChanges', [session], () => this.gitOf(session)?.changes ?? noRepository);
  }

  gitDiff(session: string, path: string): Promise<GitDiff> {
    return this.answer('gitDiff', [session, path], () => diffOf(this.gitOf(session), path));
  }

  gitStage(session: string, paths: string[], on: boolean): Promise<void> {
    return this.answer('gitStage', [session, paths, on], () => {
      const git = this.gitOf(session);
      if (git) this.changeGit(session, staged(git, paths, on));
    });
  }

  gitCommit(session: string, message: string): Promise<GitCommit> {
    return this.answer('gitCommit', [session, message], () => {
      const git = this.gitOf(session);
      if (!git) throw { code: 'not_found', message: 'there is no repository' } satisfies CommandError;
      if (git.hook !== undefined) throw { code: 'commit_refused', message: git.hook } satisfies CommandError;
      const done = commit(git, message);
      this.changeGit(session, done.git);
      return done.made;
    });
  }

  commitDraft(session: string): Promise<string> {
    return this.answer('commitDraft', [session], () => this.gitOf(session)?.draft ?? this.titleOf(session));
  }

  watchWorkspace(session: string, on: boolean): Promise<WorkspaceWatch> {
    return this.answer('watchWorkspace', [session, on], () => ({ problem: null }));
  }

  /** The working copy is another one now, as after an edit by hand. */
  changeGit(session: string, git: PlayedGit): void {
    this.git.set(session, git);
    this.feed?.workspaceChanged?.(session);
  }

  fileSides(session: string, path: string, diff: string): Promise<FileSides> {
    return this.answer('fileSides', [session, path, diff], () => sidesOf(this.gitOf(session), path, diff));
  }

  revertPreview(session: string, path: string, diff: string, hunks: number[] | null): Promise<RevertPreview> {
    return this.answer('revertPreview', [session, path, diff, hunks], () =>
      previewOf(this.gitOf(session), path, diff, hunks),
    );
  }

  revertChanges(session: string, path: string, diff: string, hunks: number[] | null): Promise<Reverted> {
    return this.answer('revertChanges', [session, path, diff, hunks], () => {
      const done = { snapshot: `reverted-${this.asked.length}`, path };
      this.say(session, { type: 'notice', kind: 'reverted', text: 'Changes were taken back', data: done });
      return done;
    });
  }

  editors(): Promise<EditorInfo[]> {
    return this.answer('editors', [], () => this.stage.editors ?? playedEditors);
  }

  openInEditor(
    session: string,
    path: string,
    line: number | null,
    column: number | null,
    editor: string | null,
  ): Promise<void> {
    return this.answer('openInEditor', [session, path, line, column, editor], () => undefined);
  }

  private titleOf(session: string): string {
    return this.kept.get(session)?.row.title ?? this.found(session).info.title;
  }

  openPath(session: string, path: string): Promise<void> {
    return this.answer('openPath', [session, path], () => undefined);
  }

  workspaceImage(session: string, path: string): Promise<ImageData | null> {
    return this.answer('workspaceImage', [session, path], () => null);
  }

  openUrl(url: string): Promise<void> {
    return this.answer('openUrl', [url], () => undefined);
  }

  private async answer<T>(name: string, args: unknown[], run: () => T): Promise<T> {
    this.asked.push({ name, args });
    const failure = this.failing.get(name);
    if (failure) {
      this.failing.delete(name);
      throw failure;
    }
    return run();
  }

  private played<K extends 'context' | 'usage'>(session: string, what: K): NonNullable<Played[K]> {
    const value = this.found(session)[what];
    if (!value) throw { code: 'unsupported', message: 'this recording does not tell' } satisfies CommandError;
    return value;
  }

  private found(session: string): Played {
    const played = this.sessions.get(session);
    if (!played) throw { code: 'not_found', message: `there is no session ${session}` } satisfies CommandError;
    return played;
  }

  private change(session: string, change: Partial<SessionInfo>): void {
    const played = this.found(session);
    played.info = { ...played.info, ...change, since: new Date().toISOString() };
    this.sayList();
  }

  private stop(session: string): void {
    const timer = this.watching.get(session);
    if (timer) window.clearInterval(timer);
    this.watching.delete(session);
  }

  private sayList(): void {
    this.feed?.sessions([...this.sessions.values()].map((played) => played.info));
  }
}

function whose(row: { id: string; cli_session_id: string | null; title: string; workspace: string }) {
  return { session: row.id, cli_session_id: row.cli_session_id, title: row.title, workspace: row.workspace };
}

function saidIn(event: Event): string | null {
  switch (event.type) {
    case 'user_message':
    case 'message_chunk':
      return event.text;
    case 'tool_call':
      return `${event.tool_name} ${event.tool_title}`;
    default:
      return null;
  }
}

function kindOf(event: Event): Hit['kind'] {
  return event.type === 'user_message' ? 'prompt' : event.type === 'message_chunk' ? 'answer' : 'tool';
}

function excerpt(text: string, words: string[]): Pick<Hit, 'text' | 'marks'> {
  const first = Math.max(0, text.toLowerCase().indexOf(words[0] ?? '') - 40);
  const part = text.slice(first, first + 200).replace(/\s/g, ' ');
  const marks = words.flatMap((word): [number, number][] => {
    const at = part.toLowerCase().indexOf(word);
    const from = [...part.slice(0, at)].length;
    return at < 0 ? [] : [[from, from + [...word].length]];
  });
  return { text: part, marks: marks.sort((a, b) => a[0] - b[0]) };
}

function withoutSecrets(server: McpServer): McpServer {
  const forget = (entries: McpEntry[]) => entries.map((one) => (one.secret ? { ...one, value: null } : one));
  const { transport } = server;
  return {
    ...server,
    transport:
      transport.kind === 'stdio'
        ? { ...transport, env: forget(transport.env) }
        : { ...transport, headers: forget(transport.headers) },
  };
}

export function blankPast(id: string, workspace: string, title: string): PastSession {
  const now = new Date().toISOString();
  return {
    id,
    cli_session_id: `cli-${id}`,
    title,
    workspace,
    folder_gone: false,
    state: 'stopped',
    since: now,
    updated_at: now,
    policy: 'supervised',
    model: null,
    source: 'kandev',
    archived: false,
    rehearsal: false,
    problem: null,
    forked_from: null,
    owner: null,
    cleanup_at: null,
    last_seq: null,
    size_bytes: null,
  };
}

export function blankInfo(id: string, workspace: string, title: string): SessionInfo {
  const now = new Date().toISOString();
  return {
    id,
    workspace,
    title,
    cli_session_id: null,
    policy: 'supervised',
    permission_mode: 'default',
    model: null,
    effort: null,
    output_style: null,
    phase: 'idle',
    since: now,
    started_at: now,
    waiting: 0,
    waiting_since: null,
    waiting_for: null,
    permission_timeout_s: null,
    rehearsal: false,
    problem: null,
    cli_version: null,
    can: [],
    models: [],
    last_seq: 0,
    next_step: null,
    force_stop: false,
    last_message_uuid: null,
    forked_from: null,
  };
}

export const plainSettings: Settings = {
  theme: 'system',
  default_policy: 'supervised',
  default_model: null,
  cli_path: null,
  stop_check: 'tell',
  recent_folders: [],
  calm: false,
  permission_timeout_s: null,
  silence_after_s: 120,
  debug_messages: false,
  on_close: 'ask',
  editor: null,
  diff_style: 'unified',
};
