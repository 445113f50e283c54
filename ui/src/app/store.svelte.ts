// One session's view made reactive. The backend hands over at most one batch per frame, so each batch is drawn once.
import type { Event } from '../bindings/bindings';
import type { Slice } from '../backend/history';
import { openSlice } from '../session/slices';
import { apply, emptyView, type SessionView } from '../session/view';

export class SessionStore {
  readonly view: SessionView = emptyView();
  /** Rises when the view has changed; whoever reads the view in an effect reads this first. */
  tick = $state(0);
  /** Which rows a person opened or closed, by row key. */
  readonly folds = new Map<string, boolean>();
  /** Where the timeline was left: null while it follows the end. */
  left: { key: string; offset: number } | null = null;

  openSlice(slice: Slice): void {
    openSlice(this.view, slice);
    this.tick += 1;
  }

  take(batch: Event[]): void {
    for (const event of batch) apply(this.view, event);
    this.tick += 1;
  }
}
