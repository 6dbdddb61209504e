/** Fails where files of src/ import each other in a circle, type imports included, which the linter passes over. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const IMPORT = /(?:\bfrom|\bimport\(|\bimport)\s*'(\.{1,2}\/[^']+\.(?:ts|js))'/g;

/** Tests and what they are made of. */
const TEST = /\.test\.ts$|\/(testing|conformance)\/|\/testing\.ts$/;

/** Strongly connected components with more than one file (Tarjan). */
function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const visit = (file: string): void => {
    index.set(file, index.size);
    low.set(file, index.get(file)!);
    stack.push(file);
    for (const next of graph.get(file) ?? []) {
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(file, Math.min(low.get(file)!, low.get(next)!));
    }
    if (low.get(file) !== index.get(file)) return;
    const component = stack.splice(stack.indexOf(file));
    if (component.length > 1) cycles.push(component.toSorted());
  };
  for (const file of graph.keys()) if (!index.has(file)) visit(file);
  return cycles;
}

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'src'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.(ts|js)$/.test(file) && !TEST.test(file) && existsSync(file));

const graph = new Map(
  files.map((file) => {
    const paths = [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, path]) =>
      join(dirname(file), path!),
    );
    return [file, [...new Set(paths)]];
  }),
);
const cycles = findCycles(graph).map((cycle) => cycle.join(' ⇄ '));

if (cycles.length) {
  console.error(`Import cycles:\n  ${cycles.join('\n  ')}`);
  process.exitCode = 1;
}
