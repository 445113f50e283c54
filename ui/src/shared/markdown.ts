// Markdown as blocks, read line by line while a message grows. Pure. There is no HTML anywhere on the way: `Markdown.svelte`
// draws the blocks as elements, so hostile text has nothing to become.
export { disguised, fileLinked, fileNamed, safeImage, safeUrl, type FilePlace } from './markdown/addresses';
export type { Block, Code, Table, Text } from './markdown/block';
export { documentFor, documentOf, MarkdownDocument, wholeOf, type Growing } from './markdown/document';
export { directionOf } from './markdown/direction';
export { decode } from './markdown/entities';
export { wordsOf } from './markdown/inline';
export { plain, type Inline } from './markdown/spans';
export { emptyTree, entries, grown, startOf, type Tree } from './markdown/tree';
