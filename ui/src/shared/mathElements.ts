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

/** The `math` element, or null where the text is none. */
export function elementsOf(mathml: string): Element | null {
  const parsed = new DOMParser().parseFromString(mathml, 'application/xml').documentElement;
  return parsed.localName === 'math' ? copy(parsed, 0) : null;
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
