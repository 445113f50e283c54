// What the Changes panel knows besides the session's own edits: what git says of the folder while somebody looks, what
// taking changes back would do and did, and which editors there are.
import type { EditorInfo, GitChanges, GitCommit, GitDiff, RevertPreview, WorkspaceWatch } from '../backend/changes';
import type { Restored } from '../backend/history';
import type { At } from '../shared/diff';
import { baseName } from '../shared/paths';
import { plural } from '../shared/time';
import { recall, remember } from './memory';
import { reason, type AppState } from './state.svelte';

export type Scope = 'turn' | 'session' | 'git';

/** Changes that shall be taken back: these hunks (from 0), or all of the diff. */
export type Wanted = {
  session: string;
  path: string;
  diff: string;
  hunks: number[] | null;
  /** How the changes are called: "Hunk 2 of 3", "All changes". */
  what: string;
  /** Where it goes back to: before this turn, the last commit. */
  to: string;
};

/** What was taken back, or brought again. `back`: it is taken back now. */
export type Taken = { session: string; path: string; what: string; snapshot: string; at: string; back: boolean };

type Shown = { session: string; path: string; diff: GitDiff | null; problem: string | null };

export class Changes {
  scope = $state<Scope>('turn');
  /** The review takes most of the window. */
  wide = $state(false);
  /** The file that was picked, by session; one file may have several names. */
  picked = $state.raw<Record<string, string[]>>({});
  /** Says to the review: go to that line. */
  pointed = $state.raw<(At & { session: string }) | null>(null);
  git = $state.raw<{ session: string; changes: GitChanges } | null>(null);
  /** Why git could not be asked. */
  problem = $state<string | null>(null);
  /** Why not all of the folder is watched. */
  unwatched = $state<string | null>(null);
  asking = $state(false);
  shown = $state.raw<Shown | null>(null);
  committed = $state.raw<(GitCommit & { session: string }) | null>(null);
  refused = $state.raw<{ session: string; words: string } | null>(null);
  /** Sessions whose commit is on its way. */
  committing = $state.raw<readonly string[]>([]);

  wanted = $state.raw<Wanted | null>(null);
  preview = $state.raw<RevertPreview | null>(null);
  previewProblem = $state<string | null>(null);
  running = $state(false);
  /** The newest of each session, for as long as it can be undone. */
  taken = $state.raw<Record<string, Taken>>(recall('taken', {}));

  editors = $state.raw<EditorInfo[] | null>(null);

  private watching: string | null = null;
  private again = false;
  private inTurn: Promise<unknown> = Promise.resolve();
  /** The message about what was taken back last. */
  private told: number | null = null;
  private askedDiff = 0;
  private askedPreview = 0;

  constructor(private readonly app: AppState) {}

  pick(session: string, path: string): void {
    this.picked = { ...this.picked, [session]: [path] };
  }

  /** Shows a line of a file, by any of the names that it may be listed under. */
  show(session: string, paths: string[], at: At): void {
    this.picked = { ...this.picked, [session]: paths };
    this.pointed = { session, side: at.side, line: at.line };
  }

  /** Asks git now and whenever something changes, until the answer is called. Nothing is asked while nobody looks. */
  watch(session: string): () => void {
    this.watching = session;
    // What was said of another session is not said of this one.
    if (this.git?.session !== session) this.problem = this.unwatched = null;
    const tell = (problem: string | null) => {
      if (this.watching === session) this.unwatched = problem;
    };
    void this.askToWatch(session, true)
      .then(
        (watch) => tell(watch.problem),
        (error: unknown) => tell(reason(error) ?? 'The folder is not watched.'),
      )
      // Not before it is watched: what changed in between would not be told.
      .then(() => this.changed(session));
    return () => {
      if (this.watching === session) this.watching = null;
      void this.askToWatch(session, false).catch(() => undefined);
    };
  }

  /** One after the other: who looks away and back again would else be taken to have looked away last. */
  private askToWatch(session: string, on: boolean): Promise<WorkspaceWatch> {
    const asked = this.inTurn.then(() => this.app.backend.watchWorkspace(session, on));
    this.inTurn = asked.catch(() => undefined);
    return asked;
  }

  changed(session: string): void {
    if (session === this.watching) void this.read(session);
  }

  async read(session: string): Promise<void> {
    // What changes while git is asked is asked for once more.
    if (this.asking) {
      this.again = true;
      return;
    }
    this.asking = true;
    // Who went on to another session meanwhile has no use for the answer.
    const wanted = () => this.watching === null || this.watching === session;
    try {
      const changes = await this.app.backend.gitChanges(session);
      if (wanted()) [this.git, this.problem] = [{ session, changes }, null];
    } catch (error) {
      if (wanted()) [this.git, this.problem] = [null, reason(error) ?? 'Git did not answer.'];
    } finally {
      this.asking = false;
    }
    if (!this.again) return;
    this.again = false;
    if (this.watching !== null) await this.read(this.watching);
  }

  /** What differs in one file. The newest question counts. */
  async readDiff(session: string, path: string): Promise<void> {
    const mine = (this.askedDiff += 1);
    if (this.shown?.session !== session || this.shown.path !== path)
      this.shown = { session, path, diff: null, problem: null };
    try {
      const diff = await this.app.backend.gitDiff(session, path);
      // The same diff stays the same object, so that nobody who reads it loses their place.
      if (mine === this.askedDiff && diff.diff !== this.shown.diff?.diff)
        this.shown = { session, path, diff, problem: null };
    } catch (error) {
      if (mine === this.askedDiff)
        this.shown = { session, path, diff: null, problem: reason(error) ?? 'Git did not say what differs.' };
    }
  }

  async stage(session: string, paths: string[], on: boolean): Promise<void> {
    await this.app.attempt(on ? 'Not staged' : 'Not unstaged', () => this.app.backend.gitStage(session, paths, on));
    if (this.watching === session) await this.read(session);
  }

  /** True if it was committed. */
  async commit(session: string, message: string): Promise<boolean> {
    if (this.committing.includes(session)) return false;
    this.committing = [...this.committing, session];
    this.refused = null;
    this.committed = null;
    try {
      this.committed = { ...(await this.app.backend.gitCommit(session, message)), session };
      return true;
    } catch (error) {
      this.refused = { session, words: reason(error) ?? 'Git did not say why.' };
      return false;
    } finally {
      this.committing = this.committing.filter((one) => one !== session);
      if (this.watching === session) await this.read(session);
    }
  }

  async askRevert(wanted: Wanted): Promise<void> {
    const mine = (this.askedPreview += 1);
    this.wanted = wanted;
    this.preview = null;
    this.previewProblem = null;
    this.running = false;
    this.app.dialog = 'revert';
    try {
      const { session, path, diff, hunks } = wanted;
      const preview = await this.app.backend.revertPreview(session, path, diff, hunks);
      if (mine === this.askedPreview) this.preview = preview;
    } catch (error) {
      if (mine === this.askedPreview) this.previewProblem = reason(error) ?? 'It could not be told what would change.';
    }
  }

  async revert(): Promise<void> {
    const { wanted } = this;
    if (!wanted || this.running || this.preview?.can !== true) return;
    this.running = true;
    const { session, path, diff, hunks, what } = wanted;
    const done = await this.app.attempt('The changes were not taken back', async () => {
      const { snapshot } = await this.app.backend.revertChanges(session, path, diff, hunks);
      this.tell({ session, path, what, snapshot, at: new Date().toISOString(), back: true }, null);
    });
    // Another change may be asked about by now.
    if (this.wanted === wanted) {
      this.running = false;
      if (done && this.app.dialog === 'revert') this.app.dialog = null;
    }
    if (this.watching === session) await this.read(session);
  }

  /** Brings again what was taken back; that can be undone, too. */
  async undo(taken: Taken): Promise<void> {
    await this.app.attempt('That was not undone', async () => {
      const restored = await this.app.backend.redoRewind(taken.session, taken.snapshot);
      const { snapshot } = restored;
      this.tell({ ...taken, snapshot, at: new Date().toISOString(), back: !taken.back }, restored);
    });
    if (this.watching === taken.session) await this.read(taken.session);
  }

  forget(session: string): void {
    this.keep(Object.fromEntries(Object.entries(this.taken).filter(([id]) => id !== session)));
  }

  private tell(taken: Taken, restored: Restored | null): void {
    this.keep({ ...this.taken, [taken.session]: taken });
    // The panel says it too; a message about what is not so any more is taken away.
    if (this.told !== null) this.app.dismiss(this.told);
    this.told = null;
    const left = restored?.left ?? [];
    if (!taken.back && left.length === 0) return;
    const how = taken.back ? 'taken back' : 'brought back';
    const hint = left.length > 0 ? `Not as it should be: ${left.join(', ')}` : taken.path;
    const text = `${taken.what} in ${baseName(taken.path)} ${how}`;
    this.app.toast(text, hint, left.length > 0 ? 'waiting' : 'note', {
      label: 'Undo',
      run: () => void this.undo(taken),
    });
    this.told = this.app.toasts.at(-1)?.id ?? null;
  }

  private keep(taken: Record<string, Taken>): void {
    this.taken = taken;
    remember('taken', taken);
  }

  async findEditors(): Promise<void> {
    if (this.editors !== null) return;
    try {
      this.editors = await this.app.backend.editors();
    } catch {
      this.editors = [];
    }
  }

  async openFile(path: string, line: number | null = null, editor: string | null = null): Promise<void> {
    const now = this.app.current;
    if (!now) return;
    await this.app.attempt('The file was not opened', () =>
      this.app.backend.openInEditor(now.id, path, line, null, editor),
    );
  }
}

/** "4 lines come back and 8 go": what taking changes back does to the file. */
export function previewWords(preview: RevertPreview): string {
  if (preview.deletes) return 'The file is deleted: this change made it.';
  if (preview.recreates) return `The file comes back, with ${plural(preview.lines_added, 'line')}.`;
  const { lines_added: come, lines_removed: go } = preview;
  if (come === 0 && go === 0) return 'No line of the file changes.';
  if (come === 0) return `${plural(go, 'line')} ${go === 1 ? 'goes' : 'go'}.`;
  if (go === 0) return `${plural(come, 'line')} ${come === 1 ? 'comes' : 'come'} back.`;
  return `${plural(come, 'line')} ${come === 1 ? 'comes' : 'come'} back, ${go} ${go === 1 ? 'goes' : 'go'}.`;
}
