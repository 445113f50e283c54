// Stands in the bundle for parts of `@pierre/diffs` that are never used: other highlighters, other themes, WebAssembly.
const nothing = {};

export default nothing;
export const themes = { getTheme: () => undefined };
export const createOnigurumaEngine = (): never => {
  throw new Error('this highlighter is not part of the app');
};
export class LiveTokenizer {}
export const codeToTokens = createOnigurumaEngine;
export const isSupportedLanguage = (): boolean => false;
