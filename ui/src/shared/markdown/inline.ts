// The spans of one paragraph, heading or table cell. One pass over the text, and bounded work at each sign: no sign makes the
// rest be read again, so a hostile text costs no more than another of its length. Raw HTML is text here.
import { decode } from './entities';
import { destination, labelOf, unescaped, withoutTail } from './destinations';
import { type Bracket, type Inline, type Piece, plain, type Run, Runs, type Target, treeOf } from './spans';
import { mathAt } from './mathSigns';

/** Addresses that were defined in the message, by their label as `labelOf` makes it. */
export type Definitions = ReadonlyMap<string, Target>;

export type Read = {
  inlines: Inline[];
  /** Labels that would be links, were they defined. */
  unknown: string[];
};

const SPECIAL = /[\n\\`*_~[\]!<&$@]|https?:\/\/|www\./gi;
const PUNCT = /[\p{P}\p{S}]/u;
const SPACE = /\s/;
const CJK =
  /[\u1100-\u11ff\u2e80-\u303f\u3040-\u30ff\u3130-\u318f\u31a0-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]/;
const ESCAPABLE = /[!-/:-@[-`{-~]/;
const ENTITY = /&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,31});/y;
const AUTOLINK = /<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]{0,2000})>/y;
const MAIL = /[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})(?:\.[A-Za-z0-9-]{1,63}){0,8}/;
const AUTOMAIL = new RegExp(`<(${MAIL.source})>`, 'y');
const MAIL_HEAD = /[\w.+-]{1,64}$/;
const MAIL_TAIL = /@[A-Za-z0-9][A-Za-z0-9-]{0,62}(?:\.[A-Za-z0-9-]{0,61}[A-Za-z0-9]){1,8}(?![\w-])/y;
const TAG = /<(?:\/?[A-Za-z][A-Za-z0-9-]{0,40}(?:\s[^<>]{0,400})?\/?|!--[^<>]{0,400}--)>/y;
const ADDRESS = /(?:https?:\/\/|www\.)[^\s<>[\]"`\u3000-\u303f\uff00-\uffef]{1,2000}/iy;
const TITLE_LIMIT = 1000;
const LABEL_LIMIT = 999;
const LABEL = /\[((?:[^[\]\\]|\\[^]){0,999})\]/y;

/** `open`: the text still grows, so what is open at its end is drawn as what it will be. */
export function readInline(source: string, definitions: Definitions, open = false): Read {
  return new Scanner(
    open ? source.replace(/[*_~`]+$/, '').replace(/!?\[$|<$|\\$/, '') : source,
    definitions,
    open,
  ).read();
}

/** What a line of Markdown says, without its signs. */
export function wordsOf(source: string): string {
  return plain(readInline(source, new Map()).inlines);
}

class Scanner {
  private pieces: Piece[] = [];
  private runs = new Runs();
  private brackets: { bracket: Bracket; at: number; runs: Run | null; inner: boolean }[] = [];
  /** Brackets below this may not be links any more: one that encloses a link is none. */
  private dead = 0;
  private unknown: string[] = [];
  private text = '';
  private at = 0;
  /** Where runs of backticks of each length begin, in order. */
  private ticks: Map<number, number[]> | null = null;
  /** From here on there is none of these closing signs. */
  private none = new Map<string, number>();

  constructor(
    private readonly source: string,
    private readonly definitions: Definitions,
    private readonly open: boolean,
  ) {}

  read(): Read {
    const { source } = this;
    while (this.at < source.length) {
      SPECIAL.lastIndex = this.at;
      const next = SPECIAL.exec(source);
      const to = next ? next.index : source.length;
      this.text += source.slice(this.at, to);
      this.at = to;
      if (next) this.sign(source[to] ?? '');
    }
    this.flush();
    this.runs.pair(null);
    const tail = this.open ? this.runs.closeOpen() : [];
    if (this.open) this.hideOpenBrackets();
    return { inlines: treeOf(this.pieces, tail), unknown: this.unknown };
  }

  private sign(char: string): void {
    switch (char) {
      case '\n':
        return this.newline();
      case '\\':
        return this.backslash();
      case '`':
        return this.code();
      case '*':
      case '_':
      case '~':
        return this.run(char);
      case '!':
        if (this.source[this.at + 1] === '[') return this.bracket(true);
        return this.literal(1);
      case '[':
        return this.bracket(false);
      case ']':
        return this.closeBracket();
      case '<':
        return this.angle();
      case '&':
        return this.entity();
      case '$':
        return this.math();
      case '@':
        return this.mail();
      default:
        return this.address();
    }
  }

  private literal(count: number): void {
    this.text += this.source.slice(this.at, this.at + count);
    this.at += count;
  }

  private flush(): void {
    if (this.text !== '') this.pieces.push({ kind: 'inline', inline: { type: 'text', text: this.text } });
    this.text = '';
  }

  private put(inline: Inline, length: number): void {
    this.flush();
    this.pieces.push({ kind: 'inline', inline });
    this.at += length;
  }

  private newline(): void {
    const blanks = /[ \t]*$/.exec(this.text.slice(-100))?.[0] ?? '';
    this.text = this.text.slice(0, this.text.length - blanks.length);
    if (blanks.endsWith('  ')) return this.put({ type: 'break' }, 1);
    // Between two of these a line end is no blank.
    const [before, after] = [this.text.at(-1) ?? '', this.source[this.at + 1] ?? ''];
    if (!(CJK.test(before) && CJK.test(after))) this.text += '\n';
    this.at += 1;
  }

  private backslash(): void {
    const next = this.source[this.at + 1] ?? '';
    if (next === '(' || next === '[') {
      const math = mathAt(this.source, this.at, this.none);
      if (math) return this.put({ type: 'math', text: math.text, display: math.display }, math.length);
    }
    if (next === '\n') return this.put({ type: 'break' }, 2);
    if (next !== '' && ESCAPABLE.test(next)) {
      this.text += next;
      this.at += 2;
    } else this.literal(1);
  }

  private math(): void {
    const math = mathAt(this.source, this.at, this.none);
    if (math) return this.put({ type: 'math', text: math.text, display: math.display }, math.length);
    this.literal(this.source[this.at + 1] === '$' ? 2 : 1);
  }

  private code(): void {
    const length = this.runLength('`');
    this.ticks ??= tickRuns(this.source);
    const places = this.ticks.get(length) ?? [];
    while (places.length > 0 && (places[0] ?? 0) < this.at + length) places.shift();
    const end = places[0];
    if (end === undefined) {
      if (!this.open || length > 2 || this.at + length >= this.source.length) return this.literal(length);
      return this.put({ type: 'code', text: this.source.slice(this.at + length) }, this.source.length - this.at);
    }
    let text = this.source.slice(this.at + length, end).replaceAll('\n', ' ');
    if (text.length > 2 && text.startsWith(' ') && text.endsWith(' ') && text.trim() !== '') text = text.slice(1, -1);
    this.put({ type: 'code', text }, end + length - this.at);
  }

  private runLength(char: string): number {
    let to = this.at;
    while (this.source[to] === char) to++;
    return to - this.at;
  }

  private run(char: string): void {
    const count = this.runLength(char);
    const before = charBefore(this.source, this.at);
    const after = charAfter(this.source, this.at + count);
    const [spaceBefore, spaceAfter] = [before === '' || SPACE.test(before), after === '' || SPACE.test(after)];
    const [punctBefore, punctAfter] = [PUNCT.test(before), PUNCT.test(after)];
    // Beside letters that are written without blanks a bracket or full stop does not decide which way a mark looks.
    const left = !spaceAfter && (!punctAfter || spaceBefore || punctBefore || CJK.test(before));
    const right = !spaceBefore && (!punctBefore || spaceAfter || punctAfter || CJK.test(after));
    if (char === '~' && count > 2) return this.literal(count);
    const canOpen = char === '_' ? left && (!right || punctBefore) : left;
    const canClose = char === '_' ? right && (!left || punctAfter) : right;
    // As in a name_with_marks, which may be the beginning of a mail address.
    if (!canOpen && !canClose) return this.literal(count);
    this.flush();
    const run: Run = {
      kind: 'run',
      at: this.at,
      char,
      count,
      whole: count,
      canOpen,
      canClose,
      opens: [],
      closes: [],
      prev: null,
      next: null,
    };
    this.pieces.push(run);
    this.runs.push(run);
    this.at += count;
  }

  private bracket(image: boolean): void {
    this.flush();
    const bracket: Bracket = { kind: 'bracket', image, target: null, hidden: false };
    this.pieces.push(bracket);
    this.at += image ? 2 : 1;
    const outer = this.brackets.at(-1);
    if (outer) outer.inner = true;
    this.brackets.push({ bracket, at: this.at, runs: this.runs.last, inner: false });
  }

  private closeBracket(): void {
    const opener = this.brackets.pop();
    const alive = opener && (opener.bracket.image || this.brackets.length >= this.dead);
    this.dead = Math.min(this.dead, this.brackets.length);
    if (!opener || !alive) return this.literal(1);
    const end = this.target(opener.at, opener.inner);
    if (!end) return this.literal(1);
    this.flush();
    if (end.cut) {
      // An address that is still coming: its words stand as words.
      opener.bracket.hidden = true;
      this.at = this.source.length;
      return;
    }
    opener.bracket.target = end.target;
    this.pieces.push({ kind: 'end' });
    this.runs.pair(opener.runs);
    this.runs.forget(opener.runs);
    if (!opener.bracket.image) this.dead = this.brackets.length;
    this.at = end.to;
  }

  /** What follows the words of a link: `(address "title")`, `[label]`, `[]`, or nothing where the words are a label. */
  private target(from: number, inner: boolean): { target: Target; to: number; cut: boolean } | null {
    const { source } = this;
    const after = this.at + 1;
    if (source[after] === '(') {
      const direct = this.direct(after + 1);
      if (direct) return direct;
    }
    let [label, to] = [inner ? '' : source.slice(from, this.at), after];
    if (source[after] === '[') {
      LABEL.lastIndex = after;
      const written = LABEL.exec(source)?.[1];
      if (written !== undefined) {
        to = after + written.length + 2;
        if (written !== '') label = written;
      }
    }
    if (label.trim() === '' || label.length > LABEL_LIMIT || label.startsWith('^')) return null;
    const known = this.definitions.get(labelOf(label));
    if (known) return { target: known, to, cut: false };
    this.unknown.push(labelOf(label));
    return null;
  }

  private direct(from: number): { target: Target; to: number; cut: boolean } | null {
    const { source } = this;
    const cut = { target: { href: '', title: null }, to: source.length, cut: true };
    let at = skipBlank(source, from);
    const ends = () => this.open && at >= source.length;
    if (ends()) return cut;
    const address = destination(source, at);
    if (!address) return null;
    at = address.to;
    if (ends()) return cut;
    const gap = skipBlank(source, at);
    let title: string | null = null;
    const quote = source[gap] ?? '';
    if (gap > at && (quote === '"' || quote === "'" || quote === '(')) {
      const end = this.titleEnd(gap + 1, quote === '(' ? ')' : quote);
      if (end === null) return this.open && source.length - gap < TITLE_LIMIT ? cut : null;
      title = decode(unescaped(source.slice(gap + 1, end)));
      at = skipBlank(source, end + 1);
    } else at = gap;
    if (ends()) return cut;
    if (source[at] !== ')') return null;
    return { target: { href: address.href, title }, to: at + 1, cut: false };
  }

  private titleEnd(from: number, close: string): number | null {
    for (let at = from; at < this.source.length && at - from < TITLE_LIMIT; at++) {
      if (this.source[at] === '\\') at++;
      else if (this.source[at] === close) return at;
    }
    return null;
  }

  private angle(): void {
    const { source, at } = this;
    AUTOLINK.lastIndex = at;
    const link = AUTOLINK.exec(source);
    if (link?.[1]) {
      const text: Inline = { type: 'text', text: link[1] };
      return this.put({ type: 'link', href: link[1], title: null, children: [text] }, link[0].length);
    }
    AUTOMAIL.lastIndex = at;
    const mail = AUTOMAIL.exec(source);
    if (mail?.[1]) {
      const text: Inline = { type: 'text', text: mail[1] };
      return this.put({ type: 'link', href: `mailto:${mail[1]}`, title: null, children: [text] }, mail[0].length);
    }
    TAG.lastIndex = at;
    this.literal(TAG.exec(source)?.[0].length ?? 1);
  }

  private entity(): void {
    ENTITY.lastIndex = this.at;
    const found = ENTITY.exec(this.source)?.[0];
    if (!found) return this.literal(1);
    this.text += decode(found);
    this.at += found.length;
  }

  private mail(): void {
    const head = MAIL_HEAD.exec(this.text.slice(-65))?.[0];
    MAIL_TAIL.lastIndex = this.at;
    const tail = head && head.length <= 64 ? MAIL_TAIL.exec(this.source)?.[0] : undefined;
    if (!head || !tail) return this.literal(1);
    this.text = this.text.slice(0, -head.length);
    const text = head + tail;
    this.put({ type: 'link', href: `mailto:${text}`, title: null, children: [{ type: 'text', text }] }, tail.length);
  }

  private address(): void {
    ADDRESS.lastIndex = this.at;
    const found = ADDRESS.exec(this.source)?.[0];
    const before = charBefore(this.source, this.at);
    const text = found && !/[\p{L}\p{N}_]/u.test(before.replace(CJK, '')) ? withoutTail(found) : '';
    if (!/^(?:https?:\/\/|www\.)[^.]/i.test(text)) return this.literal(4);
    const href = /^www\./i.test(text) ? `http://${text}` : text;
    this.put({ type: 'link', href: decode(href), title: null, children: [{ type: 'text', text }] }, text.length);
  }

  /** `[the pa` is a link whose end has not come yet, where a word begins with it. */
  private hideOpenBrackets(): void {
    for (const { bracket, at } of this.brackets) {
      const before = this.source[at - (bracket.image ? 3 : 2)] ?? ' ';
      if (SPACE.test(before) || before === '(') bracket.hidden = true;
    }
  }
}

function tickRuns(source: string): Map<number, number[]> {
  const runs = new Map<number, number[]>();
  for (const match of source.matchAll(/`+/g)) {
    const places = runs.get(match[0].length);
    if (places) places.push(match.index);
    else runs.set(match[0].length, [match.index]);
  }
  return runs;
}

function charBefore(text: string, at: number): string {
  const unit = text[at - 1] ?? '';
  return /[\udc00-\udfff]/.test(unit) ? text.slice(Math.max(0, at - 2), at) : unit;
}

function charAfter(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? '' : String.fromCodePoint(code);
}

function skipBlank(text: string, from: number): number {
  let at = from;
  // A line end may stand between, and no more blanks than somebody would write.
  while (at - from < 200 && /[ \t\n]/.test(text[at] ?? '')) at++;
  return at;
}
