// A view made from a part of a journal.
import type { Slice } from '../backend/history';
import { apply, emptyView, type SessionView } from './view';

/** Makes the view anew from that part. What stands there holds, and makes no rows. */
export function openSlice(view: SessionView, slice: Slice): void {
  Object.assign(view, emptyView());
  for (const event of slice.standing) apply(view, event);
  view.rows = [];
  view.places.clear();
  view.log = [];
  view.turn = { ...view.turn, number: slice.turns_before + 1 };
  view.lastSeq = slice.from - 1;
  for (const event of slice.events) apply(view, event);
}
