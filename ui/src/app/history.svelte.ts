// Which sessions are kept, and what of them is in memory: opens a journal at its end or at a hit, goes on with one that was
// left, loads what is before and behind. Draws nothing.
import type { OpenedSession, Owner, PastSession } from '../backend/history';
import type { Event } from '../bindings/bindings';
import { takePast } from '../session/past';
import type { AppState } from './state.svelte';
import { SessionStore } from './store.svelte';

const VIEWS_KEPT = 8;

/** Who may write a session, as it was when it was opened. */
type Opened = Pick<OpenedSession, 'read_only' | 'importing' | 'owner'>;

export class History {
  /** Sessions without a process, the newest first. */
  past = $state.raw<PastSession[]>([]);
  private opened = $state.raw<ReadonlyMap<string, Opened>>(new Map());
  private readonly stores = new Map<string, SessionStore>();
  private watched: string | null = null;

  constructor(private readonly app: AppState) {}

  storeOf(session: string): SessionStore {
    let store = this.stores.get(session);
    if (!store) {
      store = new SessionStore();
      this.stores.set(session, store);
    }
    return store;
  }

  isWatched(session: string): boolean {
    return this.watched === session;
  }

  openedAs(session: string | null): Opened | null {
    return (session === null ? null : this.opened.get(session)) ?? null;
  }

  ownerOf(session: string | null): Owner | null {
    const row = this.past.find((one) => one.id === session);
    return row ? row.owner : (this.openedAs(session)?.owner ?? null);
  }

  takePast(rows: PastSession[], gone: string[], whole: boolean): void {
    this.past = takePast(this.past, rows, gone, whole);
  }

  takeEvents(session: string, batch: Event[]): SessionStore {
    const store = this.storeOf(session);
    store.take(batch);
    return store;
  }

  drop(session: string): void {
    this.stores.delete(session);
    if (this.watched === session) this.watched = null;
  }

  /** Shows a session: what is there of it goes on, else its end is opened. */
  async watch(session: string): Promise<void> {
    const before = this.watched;
    this.watched = session;
    const store = this.storeOf(session);
    const { backend } = this.app;
    await this.app.attempt("The session's events could not be read", async () => {
      if (before !== null && before !== session) await backend.unwatch(before);
      if (store.view.lastSeq === 0) {
        const { slice, ...as } = await backend.open(session, null);
        this.opened = new Map(this.opened).set(session, as);
        if (store.view.lastSeq === 0) store.openSlice(slice);
      }
      if (this.watched === session) await backend.watch(session, store.view.lastSeq);
    });
    this.forget();
  }

  /** Views of sessions that were not looked at lately are made again from the journal when they are needed. */
  private forget(): void {
    for (const id of this.stores.keys()) {
      if (this.stores.size <= VIEWS_KEPT) return;
      if (id !== this.app.selected) this.stores.delete(id);
    }
  }
}
