// Looking for words in all conversations while somebody types: the answer to what was asked last is shown, and no other.
import type { Backend } from '../backend/backend';
import type { SearchAnswer } from '../backend/history';

/** Typing that goes on asks nothing, in ms. */
const PAUSE = 80;
/** The index is not whole: ask again, in ms. */
const AGAIN = 2000;
const MOST_HITS = 200;

export class Search {
  answer = $state.raw<SearchAnswer | null>(null);
  problem = $state<string | null>(null);
  /** An answer is on its way. */
  asking = $state(false);
  private latest = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly backend: Backend,
    private readonly why: (error: unknown) => string | null,
  ) {}

  ask(words: string): void {
    const wanted = words.trim();
    this.stop();
    if (wanted === '') {
      this.answer = null;
      this.problem = null;
      return;
    }
    this.asking = true;
    this.later(wanted, PAUSE);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.latest += 1;
    this.asking = false;
  }

  private later(words: string, pause: number): void {
    const mine = this.latest;
    this.timer = setTimeout(() => void this.run(words, mine), pause);
  }

  private async run(words: string, mine: number): Promise<void> {
    try {
      const answer = await this.backend.searchSessions(words, MOST_HITS);
      if (mine !== this.latest) return;
      this.answer = answer;
      this.problem = null;
      if (answer.indexing) this.later(words, AGAIN);
    } catch (error) {
      if (mine !== this.latest) return;
      this.answer = null;
      this.problem = this.why(error) ?? 'The search did not answer.';
    }
    this.asking = false;
  }
}
