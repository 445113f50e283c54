// Setting the files back to where they were before a prompt: what that would change is asked first, and what it changed can
// be undone.
import type { Restored, Rewind } from '../backend/history';
import { plural } from '../shared/time';
import { reason, type AppState } from './state.svelte';

export type Wanted = { session: string; uuid: string; text: string };

/** `back`: the files are as they were before a prompt; not so once that was undone. */
type Done = Restored & { session: string; back: boolean };

export class Restore {
  /** The prompt before which the files shall be again, while that is being asked. */
  wanted = $state.raw<Wanted | null>(null);
  preview = $state.raw<Rewind | null>(null);
  problem = $state<string | null>(null);
  running = $state(false);
  /** The newest restore of this window. */
  last = $state.raw<Done | null>(null);
  private asked = 0;

  constructor(private readonly app: AppState) {}

  async ask(wanted: Wanted): Promise<void> {
    const mine = (this.asked += 1);
    this.wanted = wanted;
    this.preview = null;
    this.problem = null;
    this.running = false;
    this.app.dialog = 'restore';
    try {
      const preview = await this.app.backend.rewindPreview(wanted.session, wanted.uuid);
      if (mine !== this.asked) return;
      this.preview = preview;
      if (!preview.can_rewind) this.problem = preview.error ?? 'Claude Code cannot set the files back to here.';
    } catch (error) {
      if (mine === this.asked) this.problem = reason(error) ?? 'Claude Code did not say what would change.';
    }
  }

  async run(): Promise<void> {
    const wanted = this.wanted;
    if (!wanted || this.running) return;
    this.running = true;
    const done = await this.app.attempt('The files were not restored', async () => {
      this.tell(wanted.session, await this.app.backend.rewindSession(wanted.session, wanted.uuid), true);
    });
    this.running = false;
    if (done && this.app.dialog === 'restore') this.app.dialog = null;
  }

  /** Brings back what the files were before they were restored. That can be undone, too. */
  async undo(what: Done | null = this.last): Promise<void> {
    if (!what) return;
    await this.app.attempt('The restore was not undone', async () => {
      this.tell(what.session, await this.app.backend.redoRewind(what.session, what.snapshot), !what.back);
    });
  }

  private tell(session: string, restored: Restored, back: boolean): void {
    const again = this.last !== null && this.last.session === session && !this.last.back;
    const how = back ? (again ? 'restored again' : 'restored') : 'as before the restore';
    const last = { ...restored, session, back };
    this.last = last;
    const { files, left } = restored;
    const hint = left.length > 0 ? `Not as they should be: ${left.join(', ')}` : files.join('\n');
    this.app.toast(`${plural(files.length, 'file')} ${how}`, hint, left.length > 0 ? 'waiting' : 'note', {
      label: 'Undo',
      run: () => void this.undo(last),
    });
  }
}
