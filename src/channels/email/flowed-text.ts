/**
 * Unwraps text in format=flowed (RFC 3676): a line that ends with a space continues on the next line of the same quote.
 */

const SIGNATURE = '-- ';

/** @param deletesSpace whether DelSp=yes is set, so that the trailing space is not part of the text */
export function unflow(text: string, deletesSpace: boolean): string {
  const lines: { depth: number; text: string }[] = [];
  let isOpen = false;
  for (const line of text.split(/\r?\n/)) {
    const depth = /^>*/.exec(line)![0].length;
    const content = line.slice(depth).replace(/^ /, '');
    const isFlowed = content.endsWith(' ') && content !== SIGNATURE;
    const part = isFlowed && deletesSpace ? content.slice(0, -1) : content;
    const last = lines.at(-1);
    if (isOpen && last?.depth === depth && content !== SIGNATURE) last.text += part;
    else lines.push({ depth, text: part });
    isOpen = isFlowed;
  }
  return lines.map((line) => (line.depth > 0 ? `${'>'.repeat(line.depth)} ` : '') + line.text).join('\n');
}
