// Stands in the bundle for the list of all grammars that `@pierre/diffs` could load: those of ours.
export { grammars as bundledLanguages } from '../../shared/languages';
