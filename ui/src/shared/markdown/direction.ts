// Which way a list or quotation is laid out: its own attribute cannot say, as that of the texts in it hides them. Pure.
import type { Block } from './block';
import { entries } from './tree';

const FIRST = /\p{L}/u;
const RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** By the first letter in it. */
export function directionOf(block: Block): 'ltr' | 'rtl' {
  if ('children' in block) {
    for (const first of entries(block.children)) return directionOf(first);
    return 'ltr';
  }
  const letter = 'text' in block ? FIRST.exec(block.text)?.[0] : undefined;
  return letter !== undefined && RIGHT.test(letter) ? 'rtl' : 'ltr';
}
