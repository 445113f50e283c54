// Which sessions are kept, and what of them is in memory: opens a journal at its end or at a hit, goes on with one that was
// left, loads what is before and behind. Draws nothing.
import type { OpenedSession, Owner, PastSession } from '../backend/history';
import type { Event, SessionInfo } from '../bindings/bindings';
import { takePast } from '../session/past';
import { recall, remember } from './memory';
import type { AppState } from './state.svelte';
import { SessionStore } from './store.svelte';

const VIEWS_KEPT = 8;
/** When more than this was said since a session was left, its end is opened anew. */
const AWAY = 2000;

/** Who may write a session, as it was when it was opened. */
type Opened = Pick<OpenedSession, 'read_only' | 'importing' | 'owner'>;

export class History {
  /** Sessions without a process, the newest first. */
  past = $state.raw<PastSession[]>([]);
  private opened = $state.raw<ReadonlyMap<string, Opened>>(new Map());
  private readonly stores = new Map<string, SessionStore>();
  private watched: string | null = null;
  /** The session that was open when the page was left, until the list says whether there still is one. */
  private wanted: string | null = null;
  /** The hit that the open session was opened at. */
  private aimed: { session: string; seq: number } | null = null;
  private opening: Promise<unknown> = Promise.resolve();

  constructor(private readonly app: AppState) {}

  storeOf(session: string): SessionStore {
    let store = this.stores.get(session);
    if (!store) {
      store = new SessionStore((where) => this.app.backend.slice(session, where));
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
    const wanted = this.past.find((row) => row.id === this.wanted);
    if (wanted) this.app.open(wanted.id);
    this.followHeir();
  }

  /** What a session became that is listed no more: one of a terminal is ours once it was resumed, in whatever window. */
  heirOf(session: string): SessionInfo | null {
    const { sessions } = this.app;
    if ([...sessions, ...this.past].some((one) => one.id === session)) return null;
    return sessions.find((one) => one.cli_session_id === session) ?? null;
  }

  /** Who looks at a session that another window resumed goes on looking at it, with what was typed. */
  followHeir(): void {
    const { selected, place } = this.app;
    const heir = selected === null || place === 'loading' ? null : this.heirOf(selected);
    if (selected === null || heir === null) return;
    const draft = recall<string>(`draft.${selected}`, '');
    if (draft !== '' && recall<string>(`draft.${heir.id}`, '') === '') remember(`draft.${heir.id}`, draft);
    remember(`draft.${selected}`, '');
    this.app.comments.move(selected, heir.id);
    this.app.open(heir.id);
    this.app.place = place;
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

  /** Opens that session as soon as it is in the list, if nothing else was opened by then. */
  want(session: string | null): void {
    this.wanted = session;
  }

  /** Shows a session: what is there of it goes on, else its end is opened. */
  watch(session: string): Promise<unknown> {
    this.wanted = null;
    this.aimed = null;
    this.opening = this.follow(session);
    return this.opening;
  }

  /** Shows the session where that event stands. `focus`: its row takes the focus. */
  async pointAt(session: string, seq: number, focus = false): Promise<void> {
    await this.load(session, seq, (store) => store.pointAt(seq, focus));
  }

  /** Loads what is around that event, where it is not, and shows it. */
  async show(session: string, seq: number): Promise<void> {
    await this.load(session, seq, (store) => store.show(seq));
  }

  private async load(session: string, seq: number, then: (store: SessionStore) => void): Promise<void> {
    this.aimed = { session, seq };
    await this.opening;
    const store = this.storeOf(session);
    await this.app.attempt('That part of the session could not be read', async () => {
      if (!store.holds(seq) || this.openedAs(session)?.importing) {
        const { slice } = await this.app.backend.open(session, seq);
        // The place was found in the whole, so that is read now: the end that was shown until then had other numbers.
        // Who went on to another session by now is not taken back to this one.
        if (this.openedAs(session)?.importing && this.watched === session) await this.follow(session, true);
        if (!store.holds(seq)) store.showPart(slice);
      }
      then(store);
    });
  }

  /** The journal is another one than it was: what is in memory of it holds no more. Who reads at a hit stays there. */
  anew(session: string): void {
    if (this.watched !== session) {
      this.stores.delete(session);
      return;
    }
    const store = this.storeOf(session);
    const aimed = store.detached !== null || store.pointed !== null ? this.aimed : null;
    this.opening = this.follow(session, true);
    if (aimed?.session === session) void this.pointAt(session, aimed.seq);
  }

  private async follow(session: string, anew = false): Promise<void> {
    const before = this.watched;
    this.watched = session;
    const store = this.storeOf(session);
    const { backend } = this.app;
    const done = await this.app.attempt("The session's events could not be read", async () => {
      if (before !== null && before !== session) await backend.unwatch(before);
      let importing = false;
      if (anew || store.view.lastSeq === 0 || this.lastSeqOf(session) - store.view.lastSeq > AWAY) {
        const { slice, ...as } = await backend.open(session, null);
        importing = as.importing;
        this.opened = new Map(this.opened).set(session, as);
        // What is read of a file that is still being taken over has numbers of its own: nothing is before or behind it.
        if (this.watched === session) store.openSlice(importing ? { ...slice, earlier: false, later: false } : slice);
        this.app.hearLimits(session, store);
      } else importing = this.openedAs(session)?.importing === true;
      if (this.watched === session && !importing) await backend.watch(session, store.view.lastSeq);
    });
    // Whoever opens it again tries again.
    if (!done && this.watched === session) this.watched = null;
    this.forget();
  }

  private lastSeqOf(session: string): number {
    const living = this.app.sessions.find((one) => one.id === session);
    return living?.last_seq ?? this.past.find((one) => one.id === session)?.last_seq ?? 0;
  }

  /** Views of sessions that were not looked at lately are made again from the journal when they are needed. */
  private forget(): void {
    for (const id of this.stores.keys()) {
      if (this.stores.size <= VIEWS_KEPT) return;
      if (id !== this.app.selected) this.stores.delete(id);
    }
  }
}
