// What fills a context window, as parts of it. Pure.
import type { ContextCategory, ContextUsage } from '../bindings/bindings';

export type Part = {
  name: string;
  tokens: number;
  /** Of the whole window, 0 to 100. */
  percent: number;
  colour: string;
};

/** The colours of the ramp; the last stands for all that come after it. */
const COLOURS = 5;

/** What is in the window, what could be loaded into it, and what is free. */
export function partsOf(usage: ContextUsage): { used: Part[]; kept: Part[]; deferred: Part[]; free: Part | null } {
  const part = (one: ContextCategory, colour: string): Part => ({
    name: one.name,
    tokens: one.tokens,
    percent: usage.max_tokens > 0 ? (100 * one.tokens) / usage.max_tokens : 0,
    colour,
  });
  const isDeferred = (one: ContextCategory) => one.deferred || one.kind === 'deferred';
  const isFree = (one: ContextCategory) => one.kind === 'free' || one.id === 'free_space';
  const isKept = (one: ContextCategory) => one.kind === 'buffer' || one.id.includes('buffer');
  const inside = usage.categories.filter((one) => !isDeferred(one) && !isFree(one) && one.tokens > 0);
  const used = inside.filter((one) => !isKept(one));
  const free = usage.categories.find((one) => isFree(one) && !isDeferred(one));
  return {
    used: used.map((one, i) => part(one, `var(--part-${Math.min(i + 1, COLOURS)})`)),
    // Kept free for compacting.
    kept: inside.filter(isKept).map((one) => part(one, 'var(--line-strong)')),
    // They stand in no window, so they have no share of it.
    deferred: usage.categories
      .filter(isDeferred)
      .map((one) => ({ ...part(one, ''), name: one.name.replace(/ \(deferred\)$/, ''), percent: 0 })),
    free: free ? part(free, 'var(--surface-active)') : null,
  };
}

/** `1.6 %`, `17 %`, `< 0.1 %`. */
export function share(percent: number): string {
  if (percent > 0 && percent < 0.05) return '< 0.1 %';
  return `${percent >= 10 ? Math.round(percent) : percent.toFixed(1)} %`;
}
