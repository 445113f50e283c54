// A formula in TeX as MathML text. Pure. Nothing in a formula can name an address, load anything or grow without bound.
import temml from 'temml';
import type { MathAnswer } from './math.worker';

export function mathMl(text: string, display: boolean): MathAnswer {
  try {
    const mathml = temml.renderToString(text, {
      displayMode: display,
      throwOnError: true,
      xml: true,
      trust: false,
      maxExpand: 300,
      maxSize: [20, 40],
    });
    // As the page's policy lets no style attribute in, not even into a text that is only read.
    return { mathml: mathml.replace(/<[a-z]+ [^>]*>/g, (tag) => tag.replaceAll(' style="', ' data-style="')) };
  } catch (error) {
    return { problem: reason(error) };
  }
}

function reason(error: unknown): string {
  if (error instanceof RangeError) return 'nested too deeply';
  const message = error instanceof Error ? error.message : String(error);
  return (message.replace(/^ParseError:?/, '').split(/ at (?:position|end)/, 1)[0] ?? '').trim().slice(0, 120);
}
