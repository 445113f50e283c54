// The lines of a timeline in their order, and how high they are. A treap: a line that comes, goes or changes its height, the
// sum before a line, its number and the line at an offset each cost the logarithm of the number of lines. Knows no rows.

/** What stands in a list. Only the list writes what is below `drawn`. */
export class Line<L extends Line<L>> {
  /** In pixels, measured or guessed. */
  height = 0;
  /** It was in the page at that height. */
  measured = false;
  /** It is an entry of its own for whoever counts them; one that only holds a place is not. */
  drawn = true;
  listed = false;
  up: L | null = null;
  left: L | null = null;
  right: L | null = null;
  rank = 0;
  /** Of this line and those under it in the tree. */
  sum = 0;
  lines = 0;
  entries = 0;
}

export class Lines<L extends Line<L>> {
  private root: L | null = null;
  private state: number;

  /** The seed makes a run that can be seen again. */
  constructor(seed = 1) {
    this.state = seed >>> 0 || 1;
  }

  get length(): number {
    return this.root?.lines ?? 0;
  }

  /** How many of them are drawn. */
  get entries(): number {
    return this.root?.entries ?? 0;
  }

  /** How high they are together. */
  get total(): number {
    return this.root?.sum ?? 0;
  }

  get first(): L | null {
    return this.root && leftmost(this.root);
  }

  get last(): L | null {
    return this.root && rightmost(this.root);
  }

  /** Takes these lines instead of what was there. Costs their number. */
  build(lines: readonly L[]): void {
    this.root = join(lines, 0, lines.length, null);
  }

  /** Puts a line before that one; at the end for null. */
  insert(line: L, before: L | null): void {
    Object.assign(line, { rank: this.random(), left: null, right: null, up: null, listed: true });
    if (this.root === null) this.root = line;
    else if (before === null) hang(rightmost(this.root), line, 'right');
    else if (before.left === null) hang(before, line, 'left');
    else hang(rightmost(before.left), line, 'right');
    tally(line);
    while (line.up !== null && line.up.rank < line.rank) this.lift(line);
    for (let at = line.up; at !== null; at = at.up) tally(at);
  }

  remove(line: L): void {
    if (!line.listed) return;
    const { up } = line;
    const rest = merge(line.left, line.right);
    if (rest) rest.up = up;
    if (up === null) this.root = rest;
    else if (up.left === line) up.left = rest;
    else up.right = rest;
    line.left = line.right = line.up = null;
    line.listed = false;
    for (let at = up; at !== null; at = at.up) tally(at);
  }

  set(line: L, height: number): void {
    line.height = height;
    this.changed(line);
  }

  /** Its height, or whether it is drawn, has changed. */
  changed(line: L): void {
    if (line.listed) for (let at: L | null = line; at !== null; at = at.up) tally(at);
  }

  /** How far down the line begins. */
  top(line: L): number {
    let sum = line.left?.sum ?? 0;
    for (let at = line; at.up !== null; at = at.up)
      if (at.up.right === at) sum += (at.up.left?.sum ?? 0) + at.up.height;
    return sum;
  }

  /** How many drawn lines stand before it. */
  entry(line: L): number {
    let n = line.left?.entries ?? 0;
    for (let at = line; at.up !== null; at = at.up)
      if (at.up.right === at) n += (at.up.left?.entries ?? 0) + (at.up.drawn ? 1 : 0);
    return n;
  }

  /** How many lines stand before it. */
  place(line: L): number {
    let n = line.left?.lines ?? 0;
    for (let at = line; at.up !== null; at = at.up) if (at.up.right === at) n += (at.up.left?.lines ?? 0) + 1;
    return n;
  }

  /** The line that covers that offset; the last one for an offset behind the end. */
  at(offset: number): L | null {
    let left = offset;
    let at = this.root;
    while (at !== null) {
      const before = at.left?.sum ?? 0;
      if (at.left !== null && left < before) at = at.left;
      else if (left - before < at.height) return at;
      else {
        left -= before + at.height;
        at = at.right;
      }
    }
    return this.last;
  }

  next(line: L): L | null {
    if (line.right !== null) return leftmost(line.right);
    let at: L = line;
    while (at.up !== null && at.up.right === at) at = at.up;
    return at.up;
  }

  previous(line: L): L | null {
    if (line.left !== null) return rightmost(line.left);
    let at: L = line;
    while (at.up !== null && at.up.left === at) at = at.up;
    return at.up;
  }

  *[Symbol.iterator](): Generator<L> {
    for (let at = this.first; at !== null; at = this.next(at)) yield at;
  }

  /** Turns the tree so that the line takes the place of the one above it. */
  private lift(line: L): void {
    const parent = line.up;
    if (parent === null) return;
    const { up } = parent;
    if (parent.left === line) {
      parent.left = line.right;
      if (line.right) line.right.up = parent;
      line.right = parent;
    } else {
      parent.right = line.left;
      if (line.left) line.left.up = parent;
      line.left = parent;
    }
    parent.up = line;
    line.up = up;
    if (up === null) this.root = line;
    else if (up.left === parent) up.left = line;
    else up.right = line;
    tally(parent);
    tally(line);
  }

  private random(): number {
    this.state = (Math.imul(this.state, 1_664_525) + 1_013_904_223) >>> 0;
    return this.state / 4_294_967_296;
  }
}

function tally<L extends Line<L>>(line: L): void {
  const { left, right } = line;
  line.sum = (left?.sum ?? 0) + line.height + (right?.sum ?? 0);
  line.lines = (left?.lines ?? 0) + 1 + (right?.lines ?? 0);
  line.entries = (left?.entries ?? 0) + (line.drawn ? 1 : 0) + (right?.entries ?? 0);
}

function hang<L extends Line<L>>(under: L, line: L, side: 'left' | 'right'): void {
  under[side] = line;
  line.up = under;
}

function leftmost<L extends Line<L>>(line: L): L {
  let at = line;
  while (at.left !== null) at = at.left;
  return at;
}

function rightmost<L extends Line<L>>(line: L): L {
  let at = line;
  while (at.right !== null) at = at.right;
  return at;
}

function merge<L extends Line<L>>(left: L | null, right: L | null): L | null {
  if (left === null || right === null) return left ?? right;
  if (left.rank > right.rank) {
    left.right = merge(left.right, right);
    if (left.right) left.right.up = left;
    tally(left);
    return left;
  }
  right.left = merge(left, right.left);
  if (right.left) right.left.up = right;
  tally(right);
  return right;
}

/** A balanced tree, ranked as chance would have ranked it, so that what comes later finds its place. */
function join<L extends Line<L>>(lines: readonly L[], from: number, to: number, up: L | null): L | null {
  const middle = (from + to) >> 1;
  const line = lines[middle];
  if (from >= to || !line) return null;
  line.up = up;
  line.listed = true;
  line.rank = (to - from) / (to - from + 1);
  line.left = join(lines, from, middle, line);
  line.right = join(lines, middle + 1, to, line);
  tally(line);
  return line;
}
