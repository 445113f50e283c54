// What a person asks of the open session besides prompts and answers: its title, its effort, its queue, its tasks. Each is
// asked of the CLI, and what is shown afterwards is what the CLI said.
import type { AppState } from './state.svelte';

export class Control {
  constructor(private readonly app: AppState) {}

  /** `null`: the CLI's default. */
  setEffort(effort: string | null): Promise<boolean> {
    return this.ask('The effort was not changed', (session) => this.app.backend.setEffort(session, effort));
  }

  /** `null`: the CLI's default; 0: no thinking. True once the CLI took it: it never says by itself what holds. */
  setThinking(tokens: number | null): Promise<boolean> {
    return this.ask('The thinking budget was not changed', (session) => this.app.backend.setThinking(session, tokens));
  }

  rename(title: string): Promise<boolean> {
    return this.ask('The session was not renamed', (session) => this.app.backend.renameSession(session, title));
  }

  /** The title that the model found, and that holds now; null where there is none, and then it was said why. */
  async suggestTitle(): Promise<string | null> {
    let title: string | null = null;
    await this.ask('No title was suggested', async (session) => {
      title = await this.app.backend.generateTitle(session);
    });
    return title;
  }

  /** Takes a queued prompt back; the session gives its text to the composer. */
  async withdraw(uuid: string): Promise<void> {
    await this.ask('The prompt was not withdrawn', async (session) => {
      const taken = await this.app.backend.cancelPrompt(session, uuid);
      if (!taken) throw { code: 'refused', message: 'The agent has it already.' };
    });
  }

  stopTask(task: string): Promise<boolean> {
    return this.ask('The task was not stopped', (session) => this.app.backend.stopTask(session, task));
  }

  /** `null`: all that the turn waits for. */
  toBackground(call: string | null): Promise<boolean> {
    return this.ask('It was not moved to the background', (session) => this.app.backend.backgroundTasks(session, call));
  }

  async saveReport(): Promise<void> {
    await this.ask('The report was not saved', async (session) => {
      const { path } = await this.app.backend.saveReport(session);
      this.app.toast('The report was saved', path, 'done');
    });
  }

  private async ask(what: string, run: (session: string) => Promise<unknown>): Promise<boolean> {
    const now = this.app.current;
    return now !== null && this.app.attempt(what, () => run(now.id));
  }
}
