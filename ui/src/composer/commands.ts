// The `/` list: which commands fit what was typed.
import type { AvailableCommand } from '../bindings/bindings';

/** The word after the slash while it is being typed; null where no command is. */
export function commandWord(text: string, caret: number): string | null {
  const match = /^\/([\w:.-]*)$/.exec(text.slice(0, caret));
  return match && !/\S/.test(text.slice(caret).split('\n', 1)[0] ?? '') ? (match[1] ?? '') : null;
}

/** Names that begin with the word come first, then those that contain it. */
export function matchCommands(commands: AvailableCommand[], word: string): AvailableCommand[] {
  const low = word.toLowerCase();
  const begins = commands.filter((c) => c.name.toLowerCase().startsWith(low));
  const contains = low === '' ? [] : commands.filter((c) => !begins.includes(c) && c.name.toLowerCase().includes(low));
  return [...begins, ...contains].slice(0, 50);
}
