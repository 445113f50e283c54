// Code as coloured spans. The theme's colours are only names: each stands for one `--syn-*` token, so that the
// page can draw classes and both window themes share one pass. The engine is the one made of JavaScript's own regular
// expressions: it needs neither WebAssembly nor `eval`, which the content security policy forbids.
import { createHighlighterCore, type HighlighterCore, type LanguageRegistration } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import { grammars, type Language } from './languages';
import type { Syntax, SyntaxSpan } from './segments';

export const colours: Record<string, Syntax> = {
  '#000001': 'keyword',
  '#000002': 'function',
  '#000003': 'type',
  '#000004': 'string',
  '#000005': 'number',
  '#000006': 'comment',
  '#000007': 'punct',
};

const scope = (names: string, foreground: string) => ({ scope: names.split(' | '), settings: { foreground } });

export const theme = {
  name: 'tokens',
  type: 'dark' as const,
  fg: '#000000',
  bg: '#ffffff',
  settings: [
    { settings: { foreground: '#000000', background: '#ffffff' } },
    scope('punctuation | meta.brace | keyword.operator | storage.type.function.arrow | meta.delimiter', '#000007'),
    scope(
      'keyword | storage | variable.language | keyword.operator.new | keyword.operator.expression | keyword.operator.logical.python | entity.name.tag | markup.heading | punctuation.definition.heading',
      '#000001',
    ),
    scope(
      'entity.name.function | support.function | meta.function-call entity.name | entity.other.attribute-name | support.type.property-name | markup.underline.link',
      '#000002',
    ),
    scope(
      'entity.name.type | entity.name.class | entity.name.namespace | entity.other.inherited-class | support.class | support.type.primitive | support.type.builtin | constant.other.caps | entity.name.tag.yaml | support.type.property-name.toml',
      '#000003',
    ),
    scope('string | punctuation.definition.string | markup.inline.raw | markup.inserted', '#000004'),
    scope('constant | constant.numeric | constant.character.escape | markup.deleted', '#000005'),
    scope('constant.other.option | string.unquoted.argument', '#000000'),
    scope('comment | punctuation.definition.comment', '#000006'),
  ],
};

let made: Promise<HighlighterCore> | null = null;
const loading = new Map<Language, Promise<void>>();

function highlighter(): Promise<HighlighterCore> {
  made ??= createHighlighterCore({
    themes: [theme],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  return made;
}

async function load(core: HighlighterCore, language: Language): Promise<void> {
  let known = loading.get(language);
  if (!known) {
    known = grammars[language]().then((module) => core.loadLanguage(module.default as LanguageRegistration[]));
    loading.set(language, known);
  }
  await known;
}

/** Spans per line; what is plain has none. */
export async function colour(code: string, language: Language): Promise<SyntaxSpan[][]> {
  const core = await highlighter();
  await load(core, language);
  const { tokens } = core.codeToTokens(code, { lang: language, theme: 'tokens' });
  return tokens.map((line) => {
    const spans: SyntaxSpan[] = [];
    let at = 0;
    for (const token of line) {
      const to = at + token.content.length;
      const syntax = colours[token.color ?? ''];
      const last = spans.at(-1);
      if (syntax && last?.syntax === syntax && last.to === at) last.to = to;
      else if (syntax && token.content.trim() !== '') spans.push({ from: at, to, syntax });
      at = to;
    }
    return spans;
  });
}
