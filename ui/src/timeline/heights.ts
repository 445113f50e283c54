// The heights of all rows, seen or guessed, and the sums of them. A Fenwick tree: a change, a sum and the row at an offset
// each cost the logarithm of the number of rows.

export class Heights {
  private own = new Float64Array(1024);
  /** Position i (from 1) holds the sum of the `i & -i` rows that end with row i - 1. */
  private tree = new Float64Array(1025);
  length = 0;

  get(at: number): number {
    return this.own[at] ?? 0;
  }

  push(height: number): void {
    if (this.length === this.own.length) this.grow();
    this.own[this.length] = height;
    const i = ++this.length;
    let sum = height;
    for (let child = i - 1, stop = i - (i & -i); child > stop; child -= child & -child) sum += this.tree[child] ?? 0;
    this.tree[i] = sum;
  }

  set(at: number, height: number): void {
    if (at < 0 || at >= this.length) return;
    const change = height - this.get(at);
    if (change === 0) return;
    this.own[at] = height;
    for (let i = at + 1; i <= this.length; i += i & -i) this.tree[i] = (this.tree[i] ?? 0) + change;
  }

  /** How far down the row begins; for the number of rows, how high they are together. */
  top(at: number): number {
    let sum = 0;
    for (let i = Math.min(at, this.length); i > 0; i -= i & -i) sum += this.tree[i] ?? 0;
    return sum;
  }

  get total(): number {
    return this.top(this.length);
  }

  /** The row that covers that offset; the last one for an offset behind the end, -1 where there is none. */
  at(offset: number): number {
    if (this.length === 0) return -1;
    let at = 0;
    let left = offset;
    for (let step = 2 ** Math.floor(Math.log2(this.length)); step > 0; step = Math.floor(step / 2)) {
      const next = at + step;
      if (next <= this.length && (this.tree[next] ?? 0) <= left) {
        at = next;
        left -= this.tree[next] ?? 0;
      }
    }
    return Math.min(at, this.length - 1);
  }

  private grow(): void {
    const own = new Float64Array(this.own.length * 2);
    own.set(this.own);
    this.own = own;
    const tree = new Float64Array(own.length + 1);
    tree.set(this.tree);
    this.tree = tree;
  }
}
