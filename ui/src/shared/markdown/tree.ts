// A list that only grows, kept in pages, so that adding one entry copies a few short arrays and leaves every full page the
// object it was. A view that draws page by page then touches only the last of each. Always three levels: a fourth would
// tear down what is drawn when it comes.

const WIDTH = 32;

type Page<T> = readonly T[];
export type Tree<T> = { readonly size: number; readonly pages: readonly (readonly Page<T>[])[] };

const EMPTY: Tree<never> = { size: 0, pages: [] };

export function emptyTree<T>(): Tree<T> {
  return EMPTY;
}

export function grown<T>(tree: Tree<T>, entry: T): Tree<T> {
  const chapter = tree.pages.at(-1);
  const page = chapter?.at(-1);
  const size = tree.size + 1;
  if (chapter && page && page.length < WIDTH)
    return { size, pages: withLast(tree.pages, withLast(chapter, [...page, entry])) };
  if (chapter && chapter.length < WIDTH) return { size, pages: withLast(tree.pages, [...chapter, [entry]]) };
  return { size, pages: [...tree.pages, [[entry]]] };
}

const withLast = <T>(list: readonly T[], last: T): readonly T[] => [...list.slice(0, -1), last];

export function* entries<T>(tree: Tree<T>): Generator<T> {
  for (const chapter of tree.pages) for (const page of chapter) yield* page;
}

/** Where a page's first entry stands in the whole. */
export const startOf = (chapter: number, page: number): number => (chapter * WIDTH + page) * WIDTH;
