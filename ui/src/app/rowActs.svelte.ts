// What a person asks of any session of the list, whether a process stands behind it or only its history is left: another
// title, a fork, a file, an end. Each asks the backend; what the list shows afterwards is what the backend said.
import type { ExportFormat } from '../backend/history';
import type { PromptImage } from '../bindings/bindings';
import { isOver } from '../session/phase';
import type { Entry } from '../sidebar/list';
import type { AppState } from './state.svelte';

export const exportFormats: { value: ExportFormat; name: string }[] = [
  { value: 'markdown', name: 'Markdown' },
  { value: 'json', name: 'JSON' },
  { value: 'html', name: 'HTML' },
];

export class RowActs {
  /** The row that is to be deleted, while it is asked how. */
  deleting = $state.raw<Entry | null>(null);
  /** Sessions that are open elsewhere and that a person waits for. */
  waits = $state.raw<ReadonlySet<string>>(new Set());

  /** A prompt that a session refused that another one became. */
  givenBack = $state.raw<{ session: string; text: string; images: PromptImage[] } | null>(null);

  constructor(private readonly app: AppState) {}

  openWindow(session: string): Promise<boolean> {
    return this.app.attempt('No other window was opened', () => this.app.backend.openWindow(session));
  }

  rename(session: string, title: string): Promise<boolean> {
    return this.app.attempt('The session was not renamed', () => this.app.backend.renameSession(session, title));
  }

  archive(session: string, archived: boolean): Promise<boolean> {
    const what = archived ? 'The session was not archived' : 'The session was not taken out of the archive';
    return this.app.attempt(what, () => this.app.backend.archiveSession(session, archived));
  }

  /** `at`: the message up to which the fork has the history; null is all of it. */
  fork(session: string, at: string | null = null): Promise<boolean> {
    return this.app.attempt('The session was not forked', async () => {
      const info = await this.app.backend.forkSession(session, at);
      this.app.open(info.id);
    });
  }

  /** A terminal's session becomes one of ours by it, with an id of its own. */
  resume(session: string): Promise<boolean> {
    return this.app.attempt('The session was not resumed', async () => {
      const { id } = await this.app.backend.resumeSession(session);
      this.follow(session, id);
    });
  }

  /** Resumes it, and gives it the prompt. False: it was not resumed, and the prompt is still the caller's. */
  async resumeWith(session: string, text: string, images: PromptImage[]): Promise<boolean> {
    let id = session;
    const resumed = await this.app.attempt('The session was not resumed. The prompt is kept in the field', async () => {
      id = (await this.app.backend.resumeSession(session)).id;
    });
    if (!resumed) {
      const heir = this.app.history.heirOf(session);
      if (heir === null) return false;
      this.givenBack = { session: heir.id, text, images };
      return true;
    }
    const sent = await this.app.send(id, text, images);
    if (!sent && id === session) return false;
    if (!sent) this.givenBack = { session: id, text, images };
    this.follow(session, id);
    return true;
  }

  /** Who looks at a session goes on looking at what it became. */
  private follow(session: string, id: string): void {
    if (id !== session && this.app.selected === session) this.app.open(id);
  }

  export(session: string, format: ExportFormat): Promise<boolean> {
    return this.app.attempt('The session was not exported', async () => {
      const { path } = await this.app.backend.exportSession(session, format);
      this.app.toast('The session was exported', path, 'done');
    });
  }

  askDelete(entry: Entry): void {
    this.deleting = entry;
    this.app.dialog = 'delete';
  }

  /** One that runs is ended first. */
  delete(entry: Entry, cliFile: boolean): Promise<boolean> {
    return this.app.attempt('The session was not deleted', async () => {
      if (entry.living && !isOver(entry.living.phase)) await this.app.backend.stopSession(entry.id);
      await this.app.backend.deleteSession(entry.id, cliFile);
      this.app.history.drop(entry.id);
      if (this.app.selected !== entry.id) return;
      this.app.selected = null;
      const next = this.app.list.order().find((one) => one.id !== entry.id);
      if (next) this.app.open(next.id);
      else this.app.openNew();
    });
  }

  relocate(session: string): Promise<boolean> {
    return this.app.attempt('No other folder was taken', async () => {
      const folder = await this.app.backend.pickFolder();
      if (folder !== null) this.follow(session, await this.app.backend.relocateSession(session, folder));
    });
  }

  recreate(session: string): Promise<boolean> {
    return this.app.attempt('The folder was not created', () => this.app.backend.recreateFolder(session));
  }

  /** Says so when a session is free that is open elsewhere now. */
  wait(session: string, waits: boolean): void {
    const next = new Set(this.waits);
    if (waits) next.add(session);
    else next.delete(session);
    this.waits = next;
  }

  /** Tells of those that became free. */
  tellFree(): void {
    for (const id of this.waits) {
      const row = this.app.past.find((one) => one.id === id);
      if (row?.owner) continue;
      this.wait(id, false);
      if (row)
        this.app.toast(
          `${row.title ? `“${row.title}”` : 'The session'} is free now`,
          'It can be resumed here.',
          'note',
        );
    }
  }
}
