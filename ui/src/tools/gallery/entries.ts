// What the gallery shows, in its groups: every entry has an id by which it is opened alone.
import { notices, withNotices } from '../../dev/asides';
import { readElicitation, type Elicitation } from '../../session/elicitation';
import type { NoticeRow } from '../../session/rows';
import { apply, emptyView } from '../../session/view';
import { draftOf } from '../../permissions/drafts.svelte';
import { sections } from './calls';
import { cards, elicitations, type Card } from './cards';
import type { Row } from './makers';
import { toolStates, type ToolState } from './states';
import { answer, markdowns, rest, retryDiff, workerDiff } from './texts';

export type Entry = { id: string; group: string; title: string } & (
  | { type: 'rows'; rows: Row[] }
  | { type: 'state'; state: ToolState }
  | { type: 'card'; card: Card }
  | { type: 'elicitation'; elicitation: Elicitation }
  | { type: 'notice'; row: NoticeRow; last: boolean }
  | { type: 'markdown'; text: string; streaming: boolean }
  | { type: 'diff'; diff: string; path: string; compact: boolean }
  | { type: 'controls' }
);

const slug = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

const many = `@@ -0,0 +1,20000 @@\n${Array.from({ length: 20_000 }, (_, i) => `+let line_${i} = ${i};`).join('\n')}\n`;

export const entries: Entry[] = [
  { id: 'answer', group: 'Text', title: 'Answer', type: 'markdown', text: answer, streaming: false },
  {
    id: 'answer-rest',
    group: 'Text',
    title: 'Answer, the rest of Markdown',
    type: 'markdown',
    text: rest,
    streaming: true,
  },
  ...markdowns.map((one): Entry => ({ ...one, group: 'Text', type: 'markdown', streaming: false })),
  ...sections.map((section): Entry => ({
    id: `rows-${slug(section.title)}`,
    group: 'Rows together',
    title: section.title,
    type: 'rows',
    rows: section.rows,
  })),
  ...toolStates.map((state): Entry => ({
    id: state.id,
    group: state.kind,
    title: `${state.tool}, ${state.state}${state.from === null ? ', made up' : `, from ${state.from}`}`,
    type: 'state',
    state,
  })),
  ...cards.map((card): Entry => ({
    id: `card-${slug(card.title)}`,
    group: 'Questions',
    title: card.title,
    type: 'card',
    card,
  })),
  ...elicitations.flatMap(({ title, body, tried }): Entry[] => {
    const elicitation = body.type === 'notice' ? readElicitation(body.text, body.data) : null;
    if (!elicitation) return [];
    draftOf(elicitation.request_id).tried = tried === true;
    return [{ id: `asked-${slug(title)}`, group: 'Questions', title, type: 'elicitation', elicitation }];
  }),
  ...told().map((row, at, all): Entry => ({
    id: `notice-${at + 1}-${slug(row.notice)}`,
    group: 'Notices',
    title: `Notice ${row.notice}`,
    type: 'notice',
    row,
    last: at >= all.length - 2,
  })),
  {
    id: 'diff-panel',
    group: 'Diffs',
    title: 'Diff in the side panel',
    type: 'diff',
    diff: workerDiff + retryDiff,
    path: 'src/a.rs',
    compact: true,
  },
  {
    id: 'diff-long',
    group: 'Diffs',
    title: 'Diff of 20,000 lines',
    type: 'diff',
    diff: many,
    path: 'src/a.rs',
    compact: false,
  },
  { id: 'controls', group: 'Controls', title: 'Buttons and icons', type: 'controls' },
];

/** Each notice that is left at the end of its story, those that are still open last. */
function told(): NoticeRow[] {
  return ['notices', 'silent'].flatMap((state) => {
    const view = emptyView();
    for (const event of withNotices(state)) apply(view, event);
    return view.rows
      .filter((row): row is NoticeRow => row.kind === 'notice')
      .slice(state === 'silent' ? -1 : -notices.length);
  });
}

for (const card of cards) {
  const draft = draftOf(card.request.pending_id);
  if (card.mode) draft.mode = card.mode;
  for (const hunk of card.leftOut ?? []) draft.tick(hunk, false);
  if (card.message) draft.message = card.message;
  if (card.comments) draft.comments = card.comments;
  if (card.writing) draft.writing = card.writing;
  if (card.choices) {
    draft.setChoice(0, { labels: ['Postgres table'], other: '', useOther: false });
    draft.setChoice(1, { labels: ['Index on next_due_at'], other: '', useOther: false });
  }
}

export const groups: string[] = [...new Set(entries.map((entry) => entry.group))];
export const groupId = (group: string): string => `group-${slug(group)}`;
