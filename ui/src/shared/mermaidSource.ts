// What of a diagram's source is handed on, and what is refused before anything is loaded for it. Pure.

/** Beyond these the layout, which cannot be interrupted, takes longer than a diagram is worth. */
const MAX_UNITS = 4000;
const MAX_LINES = 100;
const MAX_MARKS = 400;
const MAX_WORD = 200;

const WITH_ATTRIBUTES = /<[A-Za-z][\w:-]*[\s/][^<>]*=/;

/** With the references that stand for the signs of a tag as those signs. */
const unhidden = (code: string): string =>
  code
    .replace(/[&#]+(?:lt|0*60|x0*3c);?/gi, '<')
    .replace(/[&#]+(?:gt|0*62|x0*3e);?/gi, '>')
    .replace(/[&#]+(?:equals|0*61|x0*3d);?/gi, '=')
    .replace(/[&#]+(?:sol|0*47|x0*2f);?/gi, '/')
    .replace(/[&#]+(?:tab|newline|0*(?:9|10|12|13|32)|x0*(?:9|a|c|d|20));?/gi, ' ');

export type DiagramSource = { code: string } | { problem: string };

/**
 * The source without settings: a diagram says what it shows, not how this window draws it. A front matter keeps its title.
 */
export function diagramSource(source: string): DiagramSource {
  let code = source.replace(/\r\n?/g, '\n').trim();
  if (code === '') return { problem: 'it is empty' };
  if (code.length > MAX_UNITS) return { problem: 'it is too long to draw' };
  if (code.split('\n').length > MAX_LINES) return { problem: 'it has too many lines to draw' };
  // Arrows, brackets and the like: what the layout has to place.
  if ((code.match(/-->|---|->>|-\.|==|[[({;&]/g)?.length ?? 0) > MAX_MARKS)
    return { problem: 'it has too many parts to draw' };
  if (new RegExp(`\\S{${MAX_WORD}}`).test(code)) return { problem: 'it has too long words to draw' };
  const front = /^---\n([\s\S]*?)\n---[ \t]*\n/.exec(code);
  if (front) {
    const title = /^title:[ \t]*(.{1,200})$/m.exec(front[1] ?? '')?.[1];
    code = `${title ? `---\ntitle: ${JSON.stringify(title.replace(/^["']|["']$/g, ''))}\n---\n` : ''}${code.slice(front[0].length)}`;
  }
  code = code.replace(/%%\{[\s\S]*?\}%%/g, '');
  if (/@\{[^}]*\b(?:img|icon)\s*:/i.test(code)) return { problem: 'images in diagrams are not loaded' };
  // The library puts labels into the page to read their character references, where an attribute could load or run.
  if (WITH_ATTRIBUTES.test(unhidden(code))) return { problem: 'HTML in diagrams is not drawn' };
  if (code.trim() === '') return { problem: 'it is empty' };
  return { code };
}

/** The rules of a style sheet that speak of one element and what is in it, and load nothing. */
export function scopedRules(rules: readonly { selectorText?: string; cssText: string }[], id: string): string {
  return rules
    .filter(({ selectorText, cssText }) => {
      if (/url\(|@import|expression\(/i.test(cssText.replace(/url\((["']?)#[\w-]+\1\)/g, ''))) return false;
      return selectorText !== undefined && selectorText.split(',').every((one) => one.trim().startsWith(`#${id}`));
    })
    .map((rule) => rule.cssText)
    .join('\n');
}
