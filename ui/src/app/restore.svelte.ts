// Setting the files back to where they were before a prompt: what that would change is asked first, and what it changed can
// be undone.
import type { Restored, Rewind } from '../backend/history';
import { plural } from '../shared/time';
import { reason, type AppState } from './state.svelte';

export type Wanted = { session: string; uuid: string; text: string };

export class Restore {
  /** The prompt before which the files shall be again, while that is being asked. */
  wanted = $state.raw<Wanted | null>(null);
  preview = $state.raw<Rewind | null>(null);
  problem = $state<string | null>(null);
  running = $state(false);
  /** The newest restore of this window that was not undone. */
  last = $state.raw<(Restored & { session: string }) | null>(null);
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
      const restored = await this.app.backend.rewindSession(wanted.session, wanted.uuid);
      const last = { ...restored, session: wanted.session };
      this.last = last;
      this.app.toast(`${plural(restored.files.length, 'file')} restored`, restored.files.join('\n'), 'note', {
        label: 'Undo',
        run: () => void this.undo(last),
      });
    });
    this.running = false;
    if (done && this.app.dialog === 'restore') this.app.dialog = null;
  }

  /** Brings back what the files were before they were restored. */
  async undo(what: (Restored & { session: string }) | null = this.last): Promise<void> {
    if (!what) return;
    const done = await this.app.attempt('The restore was not undone', () =>
      this.app.backend.redoRewind(what.session, what.snapshot),
    );
    if (!done) return;
    if (this.last?.snapshot === what.snapshot) this.last = null;
    this.app.toast('The restore was undone', `${plural(what.files.length, 'file')} as before it.`, 'note');
  }
}
