// Copying, in one place. A refusal is told to the caller, who shows it.

export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Of a text that has yet to be fetched. WebKit lets only the click itself write, so the promise is handed over in it. */
export async function copyLater(text: Promise<string>): Promise<boolean> {
  if (typeof ClipboardItem === 'undefined') return copyText(await text);
  try {
    const blob = text.then((words) => new Blob([words], { type: 'text/plain' }));
    await navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })]);
    return true;
  } catch {
    // Some take no promise; a failed fetch is the caller's to tell.
    return copyText(await text);
  }
}
