// What the keys and the palette of the window can ask of the timeline that is shown.
import type { AppState } from '../app/state.svelte';
import type { Mark } from '../backend/find';
import { copyText } from '../shared/clipboard';
import { entryAsMarkdown, selectionAsMarkdown, turnOf, type Copied } from './copying';
import type { Find } from './find.svelte';
import type { Pane } from './pane.svelte';

export type TimelineActs = {
  find: () => void;
  findNext: (back: boolean) => void;
  /** To the next prompt, error, edit or question, or back to the last one. */
  go: (what: Mark, back: boolean) => void;
  /** As Markdown. */
  copy: (what: Copied) => void;
};

type Parts = { app: AppState; session: string; workspace: string; pane: Pane; find: Find };

export function timelineActs({ app, session, workspace, pane, find }: Parts): TimelineActs {
  return {
    find: () => find.start(),
    findNext: (back) => (find.open ? void find.step(back) : find.start()),
    go: (what, back) =>
      void app.attempt('The timeline could not be looked through', async () => {
        const seq = await app.backend.sessionMark(session, what, pane.from(back), back);
        if (seq === null) app.toast(`No ${back ? 'earlier' : 'later'} ${what}`, null, 'note');
        else await app.history.pointAt(session, seq, true);
      }),
    copy: (what) => void copyAs(what),
  };

  async function copyAs(what: Copied): Promise<void> {
    const text = textOf(what);
    if (text === '') return app.toast(what === 'selection' ? 'Nothing is selected' : 'Nothing to copy', null, 'note');
    if (await copyText(text)) app.toast('Copied as Markdown', null, 'done');
    else app.toast('Copying was refused', null);
  }

  function textOf(what: Copied): string {
    if (what === 'selection') return selectionAsMarkdown(window.getSelection(), pane.articles(), workspace);
    const entry = pane.focusedEntry ?? pane.here;
    if (!entry) return '';
    return what === 'row' ? entryAsMarkdown(entry, workspace) : turnOf(pane.rows, entry, workspace);
  }
}
