// Libraries under a frozen `Object.prototype`, which the window has. An assignment to a name that stands there, such as
// `Point.prototype.toString = ...`, throws then; what it means is a property of one's own, so that is what it becomes.
import type { Plugin } from 'vite';

const INHERITED = 'constructor|toString|toLocaleString|valueOf|hasOwnProperty|isPrototypeOf|propertyIsEnumerable';
const ASSIGNMENT = new RegExp(
  String.raw`(?<![\w$.\])])((?:this|[A-Za-z_$][\w$]*)(?:\.[A-Za-z_$][\w$]*)*)\.(${INHERITED})\s*=(?![=>])`,
  'g',
);
const OWN =
  ';function kandevOwn(of,name){return{set value(value){Object.defineProperty(of,name,{value,writable:true,enumerable:true,configurable:true})}}}';

/** What one library copies onto a prototype, a `toString` among it. */
const COPIES = 'Object.assign.bind(Object)';
const COPY =
  ';function kandevCopy(to,...all){for(const from of all)for(const name of Object.keys(from??{}))if(name in Object.prototype&&!Object.hasOwn(to,name))Object.defineProperty(to,name,{value:from[name],writable:true,enumerable:true,configurable:true});else to[name]=from[name];return to}';

export function ownProperties(code: string): string {
  const own = code.replace(ASSIGNMENT, (_, of: string, name: string) => `kandevOwn(${of},"${name}").value =`);
  const copied = own.replaceAll(COPIES, 'kandevCopy');
  return `${copied}${own === code ? '' : OWN}${copied === own ? '' : COPY}`;
}

export function frozenPrototypes(): Plugin {
  return {
    name: 'kandev:frozen-prototypes',
    transform(code, id) {
      if (!id.includes('/node_modules/') || !/\.[cm]?js(?:\?|$)/.test(id)) return null;
      const changed = ownProperties(code);
      return changed === code ? null : { code: changed, map: null };
    },
  };
}
