// What a panel asked the CLI for: the last answer stays on screen while the next one is on its way.

export class Asked<T> {
  value = $state.raw<T | null>(null);
  /** When the answer came, in milliseconds since the epoch. */
  at = $state<number | null>(null);
  /** Why the last question was not answered. */
  problem = $state<string | null>(null);
  asking = $state(false);
  private newest = 0;

  async ask(run: () => Promise<T>): Promise<void> {
    const mine = ++this.newest;
    this.asking = true;
    try {
      const value = await run();
      if (mine !== this.newest) return;
      this.value = value;
      this.at = Date.now();
      this.problem = null;
    } catch (error) {
      if (mine === this.newest) this.problem = words(error);
    } finally {
      if (mine === this.newest) this.asking = false;
    }
  }
}

function words(error: unknown): string {
  if (error && typeof error === 'object' && 'message' in error) return String(error.message);
  return String(error);
}
