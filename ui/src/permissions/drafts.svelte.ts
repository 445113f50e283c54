// What was typed or chosen in the cards of open questions. Kept outside the cards, so that nothing a person typed is lost when
// a card is drawn anew, or when they look at another question first.
import { noChoice, type Choice } from './answers';
import type { PlanComment } from './passages';
import type { FieldValue } from './schema';

export class Draft {
  /** What the card shows besides its question. */
  mode = $state<'ask' | 'message' | 'edit'>('ask');
  message = $state('');
  /** By the field's place; undefined: not touched. */
  texts = $state<(string | undefined)[]>([]);
  choices = $state<Choice[]>([]);
  /** What was put into the fields of an MCP server's question, by their name. */
  form = $state<Record<string, FieldValue | undefined>>({});
  /** It was to be sent already: what is wrong with it is shown. */
  tried = $state(false);
  /** Its address was opened. */
  opened = $state(false);
  /** On passages of a plan; `writing`: the one that is being written. */
  comments = $state.raw<PlanComment[]>([]);
  writing = $state.raw<PlanComment | null>(null);
  /** Hunks that are not to be sent, by number from 1. */
  leftOut = $state.raw<ReadonlySet<number>>(new Set());

  tick(hunk: number, kept: boolean): void {
    const next = new Set(this.leftOut);
    if (kept) next.delete(hunk);
    else next.add(hunk);
    this.leftOut = next;
  }

  /** What is being written becomes a comment, unless it is empty. */
  keepWriting(): void {
    if (this.writing && this.writing.text.trim() !== '') this.comments = [...this.comments, this.writing];
    this.writing = null;
  }

  choice(at: number): Choice {
    return this.choices[at] ?? noChoice();
  }

  setChoice(at: number, choice: Choice): void {
    while (this.choices.length < at) this.choices.push(noChoice());
    this.choices[at] = choice;
  }
}

const KEPT = 100;
const drafts = new Map<string, Draft>();

/** The draft of a question, by its `pending_id`. */
export function draftOf(id: string): Draft {
  let draft = drafts.get(id);
  if (!draft) {
    drafts.set(id, (draft = new Draft()));
    const oldest = drafts.keys().next();
    if (drafts.size > KEPT && !oldest.done) drafts.delete(oldest.value);
  }
  return draft;
}

// Whether the keyboard was last in a card: then the next card takes it over, and only then.
let keyboardInCard = false;
export const focusTrace = {
  entered: () => (keyboardInCard = true),
  left: () => (keyboardInCard = false),
  isInCard: () => keyboardInCard,
};
