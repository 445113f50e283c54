import { expect, it } from 'vitest';
import { ownProperties } from '../../frozen';

/** Runs a module of a library where `Object.prototype` takes no assignments through what inherits from it. */
function under(code: string): unknown {
  const frozen = Object.freeze({ toString: () => 'inherited', constructor: Object, valueOf: () => 0 });
  return new Function('frozen', `'use strict'; ${code}`)(frozen);
}

it('a name of the frozen prototype becomes a property of its own', () => {
  const library =
    'function Point() {}; Point.prototype = Object.create(frozen); Point.prototype.toString = function () { return "own"; };' +
    'return String(new Point());';
  expect(() => under(library)).toThrow(TypeError);
  const [head, tail] = library.split('return String');
  expect(under(`${ownProperties(head ?? '')}; return String${tail}`)).toBe('own');
});

it('and one that is copied onto a prototype as well', () => {
  Object.freeze(Object.prototype);
  const library =
    'const copy = Object.assign.bind(Object); function A() {}; copy(A.prototype, { x: 1, toString() { return "own"; } });';
  const run = (code: string) => new Function(`'use strict'; ${code}; return String(new A()) + new A().x;`)();
  expect(() => run(library)).toThrow(TypeError);
  expect(run(ownProperties(library))).toBe('own1');
});

it.each([
  ['a.b.constructor = c = d;', 'kandevOwn(a.b,"constructor").value = c = d;'],
  ['this.valueOf=function(){}', 'kandevOwn(this,"valueOf").value =function(){}'],
])('in any form: %s', (code, start) => expect(ownProperties(code).startsWith(start)).toBe(true));

it.each([
  'a.toString === b',
  'x.constructor == y',
  'let toString = 1',
  'f().toString = g',
  'a[0].toString = g',
  '({ toString: 1 })',
])('and what is none stays as it is: %s', (code) => expect(ownProperties(code)).toBe(code));
