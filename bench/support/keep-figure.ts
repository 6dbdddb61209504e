/** Figures stand in docs/benchmarks.md between marks with their names. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const DOCUMENT = join(import.meta.dirname, '../../docs/benchmarks.md');

/** Puts a figure between its marks. @throws Error when the document has no place for it. */
export function keepFigure(name: string, text: string): void {
  const document = readFileSync(DOCUMENT, 'utf8');
  const [begin, end] = [`<!-- figure: ${name} -->`, `<!-- end: ${name} -->`];
  const [from, to] = [document.indexOf(begin), document.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/benchmarks.md has no place for ${name}`);
  const kept = `${document.slice(0, from + begin.length)}\n\n${text}\n\n${document.slice(to)}`;
  writeFileSync(DOCUMENT, kept);
}
