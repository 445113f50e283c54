// The comments of each session, kept with its draft: across sessions, reloads and restarts, until they are sent.
import { readComments, type Comment } from '../session/comments';
import type { At } from '../shared/diff';
import { recall, remember } from './memory';

/** One that is being written. `id`: of the comment that it changes. */
export type Writing = At & { session: string; path: string; quoted: string; id: string | null; text: string };

export class Comments {
  /** At most one is written at a time. What is typed stays when another file is looked at. */
  writing = $state.raw<Writing | null>(null);
  private readonly kept = new Map<string, Comment[]>();
  private version = $state(0);
  private count = 0;

  of(session: string): Comment[] {
    void this.version;
    let all = this.kept.get(session);
    if (!all) this.kept.set(session, (all = readComments(recall<unknown>(`comments.${session}`, []))));
    return all;
  }

  /** Somebody writes there from now on. What was being written elsewhere is kept. */
  begin(at: Writing): void {
    const now = this.writing;
    if (now?.session === at.session && now.path === at.path && now.side === at.side && now.line === at.line) return;
    if (now && now.text.trim() !== '') this.finish();
    this.writing = at;
  }

  /** Keeps what is written; without words it is taken away. */
  finish(): void {
    const written = this.writing;
    if (!written) return;
    const { session, id, text, path, line, side, quoted } = written;
    const others = this.of(session).filter((one) => one.id !== id);
    const said = text.trim();
    const at = this.of(session).findIndex((one) => one.id === id);
    const made = { id: id ?? this.freshId(), path, line, side, quoted, text: said };
    if (said === '') this.set(session, others);
    else this.set(session, at < 0 ? [...others, made] : [...others.slice(0, at), made, ...others.slice(at)]);
    this.writing = null;
  }

  remove(session: string, id: string): void {
    this.set(
      session,
      this.of(session).filter((one) => one.id !== id),
    );
    if (this.writing?.id === id) this.writing = null;
  }

  /** Takes them all, for a prompt. */
  take(session: string): Comment[] {
    const all = this.of(session);
    if (all.length > 0) this.set(session, []);
    return all;
  }

  /** They were not sent after all. One that was written anew meanwhile stays as it is now. */
  giveBack(session: string, comments: Comment[]): void {
    const now = this.of(session);
    const back = comments.filter(({ id }) => !now.some((one) => one.id === id));
    if (back.length > 0) this.set(session, [...back, ...now]);
  }

  /** The session became another one, and they go along. */
  move(from: string, to: string): void {
    this.giveBack(to, this.take(from));
    if (this.writing?.session === from) this.writing = { ...this.writing, session: to };
  }

  private set(session: string, comments: Comment[]): void {
    this.kept.set(session, comments);
    remember(`comments.${session}`, comments.length === 0 ? null : comments);
    this.version += 1;
  }

  private freshId(): string {
    this.count += 1;
    return `${Date.now().toString(36)}-${this.count}`;
  }
}
