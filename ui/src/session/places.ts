// Where the rows of a view stand: in the timeline itself, or among the children of a tool row.
import type { Event } from '../bindings/bindings';
import type { Row } from './rows';

export type Place = { parent: string | null; at: number };

/** The part of a view that this file keeps. */
export type Places = { rows: Row[]; places: Map<string, Place> };

/** The row of that key, wherever it stands. */
export function rowOf(view: Places, key: string): Row | undefined {
  const place = view.places.get(key);
  if (!place) return undefined;
  if (place.parent === null) return view.rows[place.at];
  const parent = rowOf(view, place.parent);
  return parent?.kind === 'tool' ? parent.children[place.at] : undefined;
}

/** The main-thread row in which that row lies: itself, or the outermost call around it. */
export function outermost(view: Places, key: string): string {
  let at = key;
  for (let place = view.places.get(at); place?.parent; place = view.places.get(at)) at = place.parent;
  return at;
}

export function append(view: Places, event: Event, row: Row): void {
  const parent = event.parent_tool_call_id ? `t${event.parent_tool_call_id}` : null;
  const holder = parent === null ? undefined : rowOf(view, parent);
  if (parent !== null && holder?.kind === 'tool') {
    holder.children.push(row);
    view.places.set(row.key, { parent, at: holder.children.length - 1 });
    replace(view, { ...holder, until: event.at });
    return;
  }
  view.rows.push(row);
  view.places.set(row.key, { parent: null, at: view.rows.length - 1 });
}

/** Puts a new version of a row in its place, and new versions of the calls around it. */
export function replace(view: Places, row: Row): void {
  const place = view.places.get(row.key);
  if (!place) return;
  if (place.parent === null) {
    view.rows[place.at] = row;
    return;
  }
  const holder = rowOf(view, place.parent);
  if (holder?.kind !== 'tool') return;
  holder.children[place.at] = row;
  replace(view, { ...holder });
}
