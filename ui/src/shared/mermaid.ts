// Draws diagrams as pictures. The library is loaded with the first diagram; it measures text in a corner of the page that
// nobody sees, and what it makes is shown as an image, where nothing can run, be loaded or reach the page. The window's
// content security policy lets no `<style>` in, so the rules that the text is measured by come in as a constructed sheet.
import type { Mermaid } from 'mermaid';
import { diagramSource, scopedRules } from './mermaidSource';
import { Newest } from './workerJobs';

export type Theme = 'light' | 'dark';
export type Picture = { svg: string; width: number; height: number };
export type Drawn = Picture | { problem: string };

const ID = 'kandev-diagram';
const FONT = 'system-ui, sans-serif';
const MAX_SIDE = 8000;

const kept = new Newest<Promise<Drawn>>(60);
/** One diagram at a time: they share the corner of the page. */
let before: Promise<unknown> = Promise.resolve();
let library: Promise<Mermaid> | null = null;

/** Never rejects. */
export function draw(source: string, theme: Theme): Promise<Drawn> {
  const read = diagramSource(source);
  if ('problem' in read) return Promise.resolve(read);
  return kept.get(`${theme}\n${read.code}`, () => {
    const drawn = before.then(() => render(read.code, theme));
    before = drawn;
    return drawn;
  });
}

async function render(code: string, theme: Theme): Promise<Drawn> {
  try {
    library ??= import('mermaid').then((module) => module.default);
    const mermaid = await library;
    configure(mermaid, theme);
    return await inCorner((corner) => measured(mermaid, code, corner));
  } catch (error) {
    library = null;
    return { problem: reason(error) };
  }
}

function configure(mermaid: Mermaid, theme: Theme): void {
  const colour = colours();
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    suppressErrorRendering: true,
    htmlLabels: false,
    look: 'classic',
    fontSize: 14,
    flowchart: { htmlLabels: false, useMaxWidth: false, nodeSpacing: 32, rankSpacing: 40, padding: 10 },
    sequence: { useMaxWidth: false, height: 40, width: 120, boxMargin: 8, mirrorActors: false },
    themeCSS: '.edgeLabel rect { opacity: 1 }',
    maxTextSize: 5000,
    maxEdges: 80,
    logLevel: 'fatal',
    deterministicIds: true,
    fontFamily: FONT,
    theme: 'base',
    themeVariables: {
      darkMode: theme === 'dark',
      fontFamily: FONT,
      fontSize: '14px',
      background: colour('--surface-main'),
      mainBkg: colour('--surface-band'),
      primaryColor: colour('--surface-band'),
      primaryTextColor: colour('--text-1'),
      primaryBorderColor: colour('--line-control'),
      secondaryColor: colour('--accent-tint'),
      secondaryTextColor: colour('--text-1'),
      tertiaryColor: colour('--surface-code'),
      tertiaryTextColor: colour('--text-1'),
      lineColor: colour('--text-3'),
      textColor: colour('--text-1'),
      titleColor: colour('--text-1'),
      nodeBorder: colour('--line-control'),
      clusterBkg: colour('--surface-code'),
      clusterBorder: colour('--line-strong'),
      edgeLabelBackground: colour('--surface-main'),
      labelBackground: colour('--surface-main'),
      actorBkg: colour('--surface-band'),
      actorBorder: colour('--line-control'),
      actorTextColor: colour('--text-1'),
      actorLineColor: colour('--line-strong'),
      signalColor: colour('--text-2'),
      signalTextColor: colour('--text-1'),
      labelBoxBkgColor: colour('--surface-band'),
      labelBoxBorderColor: colour('--line-control'),
      labelTextColor: colour('--text-1'),
      loopTextColor: colour('--text-2'),
      noteBkgColor: colour('--waiting-tint'),
      noteBorderColor: colour('--waiting-line'),
      noteTextColor: colour('--text-1'),
      activationBkgColor: colour('--surface-active'),
      activationBorderColor: colour('--line-control'),
      classText: colour('--text-1'),
      labelColor: colour('--text-1'),
      pieTitleTextSize: '16px',
      pieSectionTextSize: '13px',
      pieLegendTextSize: '13px',
      pieTitleTextColor: colour('--text-1'),
      pieLegendTextColor: colour('--text-1'),
      pieSectionTextColor: colour('--surface-main'),
      pieStrokeColor: colour('--surface-main'),
      pieOuterStrokeColor: colour('--surface-main'),
      pieOpacity: '1',
      ...numbered('pie', 1, STRONG.map(colour)),
      ...numbered('git', 0, STRONG.map(colour)),
      ...numbered(
        'gitBranchLabel',
        0,
        STRONG.map(() => colour('--surface-main')),
      ),
      ...numbered('cScale', 0, SOFT.map(colour)),
      ...numbered(
        'cScaleLabel',
        0,
        SOFT.map(() => colour('--text-1')),
      ),
      ...numbered(
        'cScalePeer',
        0,
        SOFT.map(() => colour('--line-control')),
      ),
      errorBkgColor: colour('--failed-tint'),
      errorTextColor: colour('--failed'),
    },
  });
}

/** Things beside one another: filled with words of the background on them, and as a ground for words. */
const STRONG = ['function', 'number', 'string', 'keyword', 'type', 'comment', 'function', 'number'].map(
  (name) => `--syn-${name}`,
);
const SOFT = Array.from({ length: 12 }, (_, i) =>
  ['--accent-tint', '--waiting-tint', '--diff-add-bg', '--failed-tint', '--surface-active', '--surface-band'].at(i % 6),
).map(String);

const numbered = (name: string, from: number, colours: string[]) =>
  Object.fromEntries(colours.map((colour, i) => [`${name}${from + i}`, colour]));

/** The tokens of the page's theme as the hexadecimal colours that the library can reckon with. */
function colours(): (token: string) => string {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const style = getComputedStyle(document.documentElement);
  return (token) => {
    if (!context) return '#888888';
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = style.getPropertyValue(token).trim();
    context.fillRect(0, 0, 1, 1);
    const [r = 0, g = 0, b = 0] = context.getImageData(0, 0, 1, 1).data;
    return `#${[r, g, b].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
  };
}

async function inCorner<T>(run: (corner: HTMLElement) => Promise<T>): Promise<T> {
  const corner = document.createElement('div');
  corner.setAttribute('aria-hidden', 'true');
  Object.assign(corner.style, {
    position: 'fixed',
    left: '-9000px',
    top: '0',
    width: '1200px',
    visibility: 'hidden',
    contain: 'layout style',
    pointerEvents: 'none',
    fontFamily: FONT,
    fontSize: '14px',
    lineHeight: 'normal',
  });
  document.body.append(corner);
  try {
    return await run(corner);
  } finally {
    corner.remove();
  }
}

async function measured(mermaid: Mermaid, code: string, corner: HTMLElement): Promise<Drawn> {
  const policy = underPolicy();
  try {
    const { svg } = await mermaid.render(ID, code, corner);
    return picture(svg, policy.rules());
  } finally {
    policy.end();
  }
}

/**
 * Lets the library style what it measures though the window's policy lets no style element and no style attribute in, not
 * even into a text that is only parsed: the rules that it writes into an element come in as a constructed sheet, an attribute
 * is set as the style that it means, and in texts it has another name. Nobody else can be disturbed by it, as what is turned
 * aside here would be refused. `end` takes it back.
 */
function underPolicy(): { rules: () => string; end: () => void } {
  let written = '';
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  const { createElement } = document;
  const { setAttribute } = Element.prototype;
  const { parseFromString } = DOMParser.prototype;
  document.createElement = function (this: Document, name: string, options?: ElementCreationOptions) {
    if (name !== 'style') return createElement.call(this, name, options);
    const aside = document.createElementNS('http://www.w3.org/2000/svg', 'desc');
    Object.defineProperty(aside, 'innerHTML', {
      set(rules: string) {
        written = rules;
        sheet.replaceSync(rules);
        sheet.replaceSync(scopedRules(Array.from(sheet.cssRules) as CSSStyleRule[], ID));
      },
    });
    return aside as unknown as HTMLElement;
  } as typeof createElement;
  Element.prototype.setAttribute = function (name: string, value: string) {
    if (name === 'style') (this as unknown as ElementCSSInlineStyle).style.cssText = value;
    else setAttribute.call(this, name, value);
  };
  DOMParser.prototype.parseFromString = function (text: string, type: DOMParserSupportedType) {
    return parseFromString.call(this, inTags(String(text), ' style="', ' data-style="'), type);
  };
  return {
    rules: () => written,
    end: () => {
      document.createElement = createElement;
      Element.prototype.setAttribute = setAttribute;
      DOMParser.prototype.parseFromString = parseFromString;
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
    },
  };
}

const inTags = (text: string, from: string, to: string): string =>
  text.replace(/<[A-Za-z][^<>]*>/g, (tag) => tag.replaceAll(from, to));

/** As a picture of its own size. What could lead out of it goes, though an image could not follow it. */
function picture(svg: string, rules: string): Drawn {
  const root = new DOMParser().parseFromString(svg, 'text/html').querySelector('svg');
  const [, , width = 0, height = 0] = (root?.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number);
  if (!root || !(width > 0) || !(height > 0)) return { problem: 'nothing was drawn' };
  if (width > MAX_SIDE || height > MAX_SIDE) return { problem: 'it is too large to draw' };
  for (const element of root.querySelectorAll('script, foreignObject, iframe, image, audio, video')) element.remove();
  for (const link of root.querySelectorAll('a')) {
    // It stands where its node does, so only what it leads to goes.
    const group = document.createElementNS('http://www.w3.org/2000/svg', 'g');
    for (const { name, value } of link.attributes) if (!/href|target/i.test(name)) group.setAttribute(name, value);
    group.append(...link.childNodes);
    link.replaceWith(group);
  }
  // Of a state the words stand at the left edge of its box when they are no HTML.
  for (const label of root.querySelectorAll('.statediagram-state > g.label')) {
    const down = /translate\([^,]+,\s*(-?[\d.]+)\)/.exec(label.getAttribute('transform') ?? '')?.[1];
    if (down === undefined) continue;
    label.setAttribute('transform', `translate(0, ${down})`);
    for (const text of label.querySelectorAll('text')) text.setAttribute('text-anchor', 'middle');
  }
  root.removeAttribute('data-style');
  root.setAttribute('width', String(width));
  root.setAttribute('height', String(height));
  root.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  const drawn = inTags(new XMLSerializer().serializeToString(root), ' data-style="', ' style="');
  // Where a line of words stands is not handed down to its parts by every engine.
  const style = `<style>tspan{dominant-baseline:inherit}${rules.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</style>`;
  return { svg: drawn.replace(/^<svg[^>]*>/, (tag) => tag + style), width, height };
}

function reason(error: unknown): string {
  const message = error instanceof Error ? error.message : typeof error === 'string' ? error : '';
  if (error instanceof RangeError) return 'it is nested too deeply';
  const line = /line (\d+)/i.exec(message)?.[1];
  if (/^(?:Parse|Lexical|Syntax) error|Parsing failed/i.test(message))
    return line ? `line ${line} cannot be read` : 'it cannot be read';
  if (/No diagram type/i.test(message)) return 'no kind of diagram that is known';
  if (/dynamically imported module|Importing a module/i.test(message)) return 'the drawing part could not be loaded';
  return message.split('\n', 1)[0]?.slice(0, 120) || 'it cannot be drawn';
}
