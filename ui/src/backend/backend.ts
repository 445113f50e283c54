// What the front end asks of the program behind it. `tauri.ts` is the real one; `replay.ts` plays recorded events for
// tests and the gallery. Nothing else in `ui/` imports `@tauri-apps/*`.
import type {
  AppInfo,
  CliReport,
  ContextUsage,
  Decision,
  Event,
  FirstPrompt,
  ImageData,
  InterruptReceipt,
  McpServer,
  McpServers,
  McpServerStatus,
  NewSession,
  PromptImage,
  RawLine,
  SavedReport,
  SessionInfo,
  Settings,
  UsageReport,
} from '../bindings/bindings';
import type { Mark, SessionHits } from './find';
import type {
  CloseAsked,
  CloseChoice,
  ExportFormat,
  OpenedSession,
  PastSession,
  Restored,
  Rewind,
  SearchAnswer,
  Slice,
} from './history';
import type {
  EditorInfo,
  FileSides,
  GitChanges,
  GitCommit,
  GitDiff,
  Reverted,
  RevertPreview,
  WorkspaceWatch,
} from './changes';
import type { OutputHits, OutputPart, OutputSource } from './outputs';

/** A failed command: `code` is born when the window behaves differently for it, `message` is for a person. */
export type CommandError = { code: string; message: string };

/** What the one channel of a window carries. */
export type Feed = {
  /** The whole list of living sessions, whenever a row of it changed. */
  sessions(list: SessionInfo[]): void;
  /** Rows without a process: those that are new or changed, and the ids of those that are none any more. `whole`: the rows are all there are. */
  past(rows: PastSession[], gone: string[], whole: boolean): void;
  /** The journal of a session is another one than it was: whoever shows it opens it again. */
  anew?(session: string): void;
  /** Events of a watched session in order, at most one batch per frame. */
  events(session: string, batch: Event[]): void;
  /** A second start of the app asks to open a session, or the form for a new one in a folder. */
  open?(session: string | null, folder: string | null): void;
  /** A person closes the last window, or wants the program to end. `answerClose` says that it is asked, and the answer. */
  closeAsked?(asked: CloseAsked): void;
  /** The settings were changed, here or elsewhere. */
  settings?(settings: Settings): void;
  /** Files of that session's folder changed; said only while the folder is watched. */
  workspaceChanged?(session: string): void;
};

/** Every method rejects with a `CommandError`. Ids are ours (`SessionInfo.id`), not the CLI's. */
export interface Backend {
  appInfo(): Promise<AppInfo>;
  /** Opens the window's channel; a second call replaces the first. */
  subscribe(feed: Feed): Promise<void>;
  /** The end of a session's journal, or what is around that number. Watching goes on after `slice.through`. */
  open(session: string, at: number | null): Promise<OpenedSession>;
  /** The next part of the journal, in one direction. */
  slice(session: string, where: { before: number } | { after: number }): Promise<Slice>;
  /** The journal after `afterSeq`, then live events, without a gap. Watching again replaces the earlier watch. */
  watch(session: string, afterSeq: number): Promise<void>;
  unwatch(session: string): Promise<void>;

  /** `first` belongs to the start: if that fails, it comes back with it as a notice `prompt_returned`. */
  startSession(request: NewSession, first: FirstPrompt | null): Promise<SessionInfo>;
  /** The tour, or the recording that the app was started with. */
  startRehearsal(): Promise<SessionInfo>;
  sendPrompt(session: string, text: string, images: PromptImage[]): Promise<void>;
  /** Queued prompts run next, unless they are dropped too; those come back as notices `prompt_returned`. */
  interrupt(session: string, cancelQueued: boolean): Promise<InterruptReceipt>;
  /** Takes a queued prompt back. False: it was delivered before. */
  cancelPrompt(session: string, uuid: string): Promise<boolean>;
  /** Ends the process and its tree; always ends in `stopped`. Idempotent. */
  stopSession(session: string): Promise<void>;
  /** Starts the CLI again with resume. One begun in a terminal becomes ours, under a new id. */
  resumeSession(session: string): Promise<SessionInfo>;
  /** A session of its own that goes on from here, or from that message. */
  forkSession(session: string, at: string | null): Promise<SessionInfo>;
  /** Goes back to that message (`null`: the beginning) and sends the prompt from there. */
  retryTurn(session: string, at: string | null, text: string, images: PromptImage[]): Promise<void>;
  /** The session's folder is elsewhere now. One begun in a terminal becomes ours for that; gives the id that it has now. */
  relocateSession(session: string, folder: string): Promise<string>;
  recreateFolder(session: string): Promise<void>;
  archiveSession(session: string, archived: boolean): Promise<void>;
  /** Ours; with `cliFile` what the CLI keeps of it, too. */
  deleteSession(session: string, cliFile: boolean): Promise<void>;
  /** Where the file was written. */
  exportSession(session: string, format: ExportFormat): Promise<{ path: string }>;
  searchSessions(words: string, limit: number): Promise<SearchAnswer>;
  /** Rows of one session in which the words stand as they are typed, behind that number (0: from the start). */
  findInSession(session: string, words: string, after: number, limit: number): Promise<SessionHits>;
  /** The number with which the next of these begins behind `from`, or the last one before it. */
  sessionMark(session: string, what: Mark, from: number, back: boolean): Promise<number | null>;
  /** What setting the files back to before that prompt would change. */
  rewindPreview(session: string, messageUuid: string): Promise<Rewind>;
  rewindSession(session: string, messageUuid: string): Promise<Restored>;
  /** Undoes a rewind, which can be undone in its turn. */
  redoRewind(session: string, snapshot: string): Promise<Restored>;
  /** The session in a window of its own. */
  openWindow(session: string): Promise<void>;
  /** Ends the program; asks before by `closeAsked` when something runs. */
  quitApp(): Promise<void>;
  answerClose(choice: CloseChoice, remember: boolean): Promise<void>;
  /** Takes an ended session off the list. */
  removeSession(session: string): Promise<void>;
  answerPermission(session: string, pendingId: string, decision: Decision): Promise<void>;
  setPermissionMode(session: string, mode: string): Promise<void>;
  /** `null`: the CLI's default. */
  setModel(session: string, model: string | null): Promise<void>;
  /** `null`: the CLI's default. */
  setEffort(session: string, effort: string | null): Promise<void>;
  /** Tokens; 0 is none, `null` the CLI's default. */
  setThinking(session: string, maxTokens: number | null): Promise<void>;
  renameSession(session: string, title: string): Promise<void>;
  /** Has the model find a title, and takes it. */
  generateTitle(session: string): Promise<string>;

  contextUsage(session: string): Promise<ContextUsage>;
  usage(session: string): Promise<UsageReport>;
  stopTask(session: string, task: string): Promise<void>;
  /** Moves a running foreground call to the background; `null`: all of them. */
  backgroundTasks(session: string, toolCallId: string | null): Promise<void>;
  /** Lines of what a program printed; `from` is counted from 0, below 0 from the end. At most 2,000 at once. */
  toolOutput(session: string, source: OutputSource, from: number, count: number): Promise<OutputPart>;
  /** The lines that hold the words, in order: literal, whatever their case. */
  findInOutput(session: string, source: OutputSource, words: string, limit: number): Promise<OutputHits>;
  /** All of it as plain text. Rejects with `too_large` above 10 MB. */
  outputText(session: string, source: OutputSource): Promise<string>;
  /** Writes all of it into a file. */
  saveOutput(session: string, source: OutputSource): Promise<{ path: string }>;
  /** Raw lines behind that index, the oldest first, at most `limit`. */
  rawLines(session: string, after: number, limit: number): Promise<RawLine[]>;
  /** Writes a redacted bundle of the session. */
  saveReport(session: string): Promise<SavedReport>;

  findCli(): Promise<CliReport>;
  settings(): Promise<Settings>;
  saveSettings(settings: Settings): Promise<Settings>;
  /** The system's folder dialog; null when it was closed. */
  pickFolder(): Promise<string | null>;
  pickFile(): Promise<string | null>;
  /** Opens a file of the session's workspace with the system's default program. */
  openPath(session: string, path: string): Promise<void>;
  /** A picture file of the session's workspace; null: of no format that is drawn, or very large. */
  workspaceImage(session: string, path: string): Promise<ImageData | null>;
  /** http and https only. */
  openUrl(url: string): Promise<void>;

  /** What differs from the last commit in the session's folder. */
  gitChanges(session: string): Promise<GitChanges>;
  gitDiff(session: string, path: string): Promise<GitDiff>;
  gitStage(session: string, paths: string[], on: boolean): Promise<void>;
  gitCommit(session: string, message: string): Promise<GitCommit>;
  commitDraft(session: string): Promise<string>;
  /** Says `workspaceChanged` from now on, or no more. */
  watchWorkspace(session: string, on: boolean): Promise<WorkspaceWatch>;
  /** The file as it is, and as it was before that diff. */
  fileSides(session: string, path: string, diff: string): Promise<FileSides>;
  /** What taking these hunks back would do, or (`null`) all of them. Numbers from 0. */
  revertPreview(session: string, path: string, diff: string, hunks: number[] | null): Promise<RevertPreview>;
  /** `redoRewind` brings back what stood there before. */
  revertChanges(session: string, path: string, diff: string, hunks: number[] | null): Promise<Reverted>;
  /** Those that were found on this machine. */
  editors(): Promise<EditorInfo[]>;
  /** `editor` null: that of the settings, else the first that is found, else the system's program for the file. */
  openInEditor(
    session: string,
    path: string,
    line: number | null,
    column: number | null,
    editor: string | null,
  ): Promise<void>;

  /** Those of the settings, which new sessions are given. */
  mcpServers(): Promise<McpServers>;
  /** Takes over the whole list. A process that runs keeps what it was given. */
  saveMcpServers(servers: McpServer[]): Promise<McpServers>;
  mcpStatus(session: string): Promise<McpServerStatus[]>;
  /** For this session only. */
  mcpToggle(session: string, name: string, enabled: boolean): Promise<void>;
  mcpReconnect(session: string, name: string): Promise<void>;
}
