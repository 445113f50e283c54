// Styles that a library writes into HTML as `style="…"`, which the content security policy blocks. Each distinct value
// becomes a class of one constructed sheet, which the policy allows; whoever shows such HTML adopts the sheet.

let made: CSSStyleSheet | null = null;
const classes = new Map<string, string>();

/** The sheet that all classes are in. */
export function classSheet(): CSSStyleSheet {
  made ??= new CSSStyleSheet();
  return made;
}

/** The class that stands for these declarations. */
export function classFor(style: string): string {
  let name = classes.get(style);
  if (name === undefined) {
    name = `k${classes.size.toString(36)}`;
    classes.set(style, name);
    const sheet = classSheet();
    sheet.insertRule(`.${name}{}`, sheet.cssRules.length);
    const rule = sheet.cssRules[sheet.cssRules.length - 1];
    // Set as declarations, so that no value can end the rule and begin another.
    if (rule instanceof CSSStyleRule) rule.style.cssText = style;
  }
  return name;
}
