// MathML text as elements: those of MathML alone, with attributes that only lay out. A style, which comes as `data-style`, is
// set rule by rule, as the content security policy lets no style attribute in.

const NAMESPACE = 'http://www.w3.org/1998/Math/MathML';
const ELEMENTS = new Set(
  'math mrow mi mn mo mtext mspace ms mfrac msqrt mroot mstyle merror mpadded mphantom menclose msub msup msubsup munder mover munderover mmultiscripts mprescripts none mtable mtr mtd semantics'.split(
    ' ',
  ),
);
const ATTRIBUTES = new Set(
  'class display displaystyle scriptlevel mathvariant mathsize mathcolor mathbackground stretchy symmetric largeop movablelimits accent accentunder form fence separator lspace rspace minsize maxsize width height depth voffset linethickness notation rowspacing columnspacing columnalign rowalign columnlines rowlines frame columnspan rowspan dir'.split(
    ' ',
  ),
);
const STYLES = new Set(
  'padding padding-left padding-right padding-top padding-bottom color background-color text-align vertical-align border border-left border-right border-top border-bottom border-style border-width border-color font-weight font-style margin-left margin-right min-width'.split(
    ' ',
  ),
);
const MAX_DEPTH = 200;

/** The `math` element, or null where the text is none. `sunk`: the font itself puts an index below its letter. */
export function elementsOf(mathml: string, sunk = fontSinks()): Element | null {
  const parsed = new DOMParser().parseFromString(mathml, 'application/xml').documentElement;
  const made = parsed.localName === 'math' ? copy(parsed, 0) : null;
  if (made && !sunk) for (const one of made.querySelectorAll('msub, msubsup')) sink(one);
  return made;
}

let sinks: boolean | null = null;

/** Whether there is a font that knows how mathematics is set. Many Linux desktops have none. */
function fontSinks(): boolean {
  if (sinks !== null) return sinks;
  const probe = document.createElementNS(NAMESPACE, 'math') as MathMLElement;
  const sub = document.createElementNS(NAMESPACE, 'msub');
  for (const letter of ['x', 'x']) {
    const one = document.createElementNS(NAMESPACE, 'mi');
    one.textContent = letter;
    sub.append(one);
  }
  Object.assign(probe.style, { position: 'fixed', visibility: 'hidden', fontSize: '40px' });
  probe.append(sub);
  document.body.append(probe);
  const [letter, index] = Array.from(sub.children, (one) => one.getBoundingClientRect().bottom);
  probe.remove();
  sinks = (index ?? 0) - (letter ?? 0) > 4;
  return sinks;
}

function sink(sub: Element): void {
  const index = sub.children[1];
  if (!index) return;
  const lower = document.createElementNS(NAMESPACE, 'mpadded');
  lower.setAttribute('voffset', '-0.35em');
  lower.setAttribute('depth', '+0.35em');
  lower.setAttribute('height', '-0.35em');
  index.replaceWith(lower);
  lower.append(index);
}

function copy(from: Element, depth: number): Element | null {
  if (!ELEMENTS.has(from.localName) || depth > MAX_DEPTH) return null;
  const made = document.createElementNS(NAMESPACE, from.localName);
  for (const { name, value } of from.attributes) {
    if (name === 'data-style') restyle(made as unknown as ElementCSSInlineStyle, value);
    else if (ATTRIBUTES.has(name) && !/url|[\\<]/i.test(value)) made.setAttribute(name, value);
  }
  for (const child of from.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) made.append(child.nodeValue ?? '');
    else if (child.nodeType === Node.ELEMENT_NODE) {
      const inner = copy(child as Element, depth + 1);
      if (inner) made.append(inner);
    }
  }
  return made;
}

function restyle(made: ElementCSSInlineStyle, rules: string): void {
  for (const rule of rules.split(';')) {
    const colon = rule.indexOf(':');
    const [name, value] = [rule.slice(0, colon).trim(), rule.slice(colon + 1).trim()];
    if (colon > 0 && STYLES.has(name) && !/url|[\\<(]/i.test(value)) made.style?.setProperty(name, value);
  }
}
