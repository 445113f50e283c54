// The languages that code is coloured in, each loaded when it is first met. Pure but for the imports.

/** A grammar module of shiki; its default export is a list of grammars. */
type Grammar = () => Promise<{ default: unknown[] }>;

export const grammars = {
  c: () => import('shiki/langs/c.mjs'),
  cpp: () => import('shiki/langs/cpp.mjs'),
  csharp: () => import('shiki/langs/csharp.mjs'),
  css: () => import('shiki/langs/css.mjs'),
  diff: () => import('shiki/langs/diff.mjs'),
  dockerfile: () => import('shiki/langs/dockerfile.mjs'),
  go: () => import('shiki/langs/go.mjs'),
  html: () => import('shiki/langs/html.mjs'),
  ini: () => import('shiki/langs/ini.mjs'),
  java: () => import('shiki/langs/java.mjs'),
  javascript: () => import('shiki/langs/javascript.mjs'),
  json: () => import('shiki/langs/json.mjs'),
  jsx: () => import('shiki/langs/jsx.mjs'),
  kotlin: () => import('shiki/langs/kotlin.mjs'),
  lua: () => import('shiki/langs/lua.mjs'),
  make: () => import('shiki/langs/make.mjs'),
  markdown: () => import('shiki/langs/markdown.mjs'),
  php: () => import('shiki/langs/php.mjs'),
  python: () => import('shiki/langs/python.mjs'),
  ruby: () => import('shiki/langs/ruby.mjs'),
  rust: () => import('shiki/langs/rust.mjs'),
  scss: () => import('shiki/langs/scss.mjs'),
  shellscript: () => import('shiki/langs/shellscript.mjs'),
  sql: () => import('shiki/langs/sql.mjs'),
  svelte: () => import('shiki/langs/svelte.mjs'),
  swift: () => import('shiki/langs/swift.mjs'),
  toml: () => import('shiki/langs/toml.mjs'),
  tsx: () => import('shiki/langs/tsx.mjs'),
  typescript: () => import('shiki/langs/typescript.mjs'),
  vue: () => import('shiki/langs/vue.mjs'),
  xml: () => import('shiki/langs/xml.mjs'),
  yaml: () => import('shiki/langs/yaml.mjs'),
} satisfies Record<string, Grammar>;

export type Language = keyof typeof grammars;

/** Other words for a language: what stands behind a code fence, and how file names end. */
const also: Record<string, Language> = {
  bash: 'shellscript',
  cc: 'cpp',
  cjs: 'javascript',
  console: 'shellscript',
  cs: 'csharp',
  'c++': 'cpp',
  cts: 'typescript',
  cxx: 'cpp',
  docker: 'dockerfile',
  golang: 'go',
  h: 'c',
  hpp: 'cpp',
  htm: 'html',
  js: 'javascript',
  jsonc: 'json',
  jsonl: 'json',
  kt: 'kotlin',
  kts: 'kotlin',
  makefile: 'make',
  md: 'markdown',
  mjs: 'javascript',
  mk: 'make',
  mts: 'typescript',
  patch: 'diff',
  py: 'python',
  pyi: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'shellscript',
  shell: 'shellscript',
  svg: 'xml',
  ts: 'typescript',
  yml: 'yaml',
  zsh: 'shellscript',
};

/** The language meant by a word, or null if none of ours is. */
export function languageNamed(word: string | null | undefined): Language | null {
  const name = (word ?? '').trim().toLowerCase();
  if (Object.hasOwn(grammars, name)) return name as Language;
  return Object.hasOwn(also, name) ? (also[name] ?? null) : null;
}

/** The language of a file, by its name. */
export function languageOf(path: string | null | undefined): Language | null {
  const name = (path ?? '').split(/[\\/]/).at(-1)?.toLowerCase() ?? '';
  if (name === '') return null;
  return languageNamed(name) ?? languageNamed(/\.([^.]+)$/.exec(name)?.[1]);
}
