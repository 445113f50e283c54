// What a person did to the session list: what they look for, which folders they folded, and what is listed because of it.
import type { AppState } from '../app/state.svelte';
import { recall, remember } from '../app/memory';
import { layOut, listFolders, pastFolders, type Entry } from './list';

export class ListState {
  words = $state('');
  archived = $state(false);
  folded = $state.raw<ReadonlySet<string>>(new Set(recall<string[]>('folded', [])));
  whole = $state.raw<ReadonlySet<string>>(new Set());
  /** The row whose title is being changed. */
  renaming = $state<string | null>(null);

  constructor(private readonly app: AppState) {}

  private readonly filter = $derived(this.words.trim());
  private readonly past = $derived.by(() => pastFolders(this.app.past, this.filter, this.archived));
  readonly folders = $derived.by(() => listFolders(this.app.sessions, this.past, this.filter, this.archived));
  readonly items = $derived.by(() =>
    layOut(this.folders, {
      folded: this.folded,
      whole: this.whole,
      selected: this.app.selected,
      filtered: this.filter !== '',
    }),
  );
  /** How many are archived. */
  readonly archives = $derived.by(() => this.app.past.reduce((n, row) => n + (row.archived ? 1 : 0), 0));

  /** The sessions of the list in the order of the screen. */
  order(): Entry[] {
    return this.items.flatMap((item) => (item.kind === 'row' ? [item.entry] : []));
  }

  fold(workspace: string, folded = !this.folded.has(workspace)): void {
    this.folded = changed(this.folded, workspace, folded);
    remember('folded', [...this.folded]);
  }

  showAll(workspace: string, all: boolean): void {
    this.whole = changed(this.whole, workspace, all);
  }
}

function changed(set: ReadonlySet<string>, one: string, isIn: boolean): ReadonlySet<string> {
  const next = new Set(set);
  if (isIn) next.add(one);
  else next.delete(one);
  return next;
}
