/**
 * Checks the imports of src/ and web/, type imports included: they go from upper to lower layers only, surfaces and
 * channel drivers do not import each other, and no files import each other in a circle. Lazy imports count.
 * docs/architecture.md draws the layers.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Upper layers first; a layer may import those after it. */
const LAYERS = ['main', 'cli', 'app', 'ops', 'surfaces', 'core', 'platform'];
/** Parts of `channels` that drivers may import. */
const SHARED_BY_CHANNELS = new Set(['contract', 'http-api']);
/** Of the console; its features may import each other. */
const WEB_LAYERS = ['main', 'app', 'features', 'patterns', 'design', 'api', 'copy'];
const IMPORT = /(?:\bfrom|\bimport\(|\bimport)\s*'(\.{1,2}\/[^']+\.(?:tsx?|js))'/g;

interface Area {
  layer: string;
  /** The surface or channel; empty elsewhere. */
  part: string;
}

function getArea(file: string): Area {
  const [, layer, part] = file.split('/') as [string, string, string?];
  if (part === undefined) return { layer: 'main', part: '' };
  return { layer, part: layer === 'surfaces' || layer === 'channels' ? part : '' };
}

function isAllowedInWeb(from: Area, to: Area): boolean {
  const [upper, lower] = [WEB_LAYERS.indexOf(from.layer), WEB_LAYERS.indexOf(to.layer)];
  return upper >= 0 && upper <= lower;
}

function isAllowed(from: Area, to: Area): boolean {
  if (from.layer === to.layer && from.part === to.part) return true;
  if (from.layer === 'channels') return to.layer === 'platform' || SHARED_BY_CHANNELS.has(to.part);
  if (to.layer === 'channels') {
    const below = to.part === 'contract' ? 'surfaces' : 'app';
    return LAYERS.indexOf(from.layer) >= 0 && LAYERS.indexOf(from.layer) <= LAYERS.indexOf(below);
  }
  const [upper, lower] = [LAYERS.indexOf(from.layer), LAYERS.indexOf(to.layer)];
  return upper >= 0 && upper < lower;
}

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

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'src', 'web'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter(
    (file) =>
      /\.(tsx?|js)$/.test(file) &&
      !/\.test\.tsx?$|^web\/(reference|build|public|vite\.config)/.test(file) &&
      existsSync(file),
  );

const graph = new Map(
  files.map((file) => {
    const paths = [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, path]) =>
      join(dirname(file), path!),
    );
    return [file, [...new Set(paths)]];
  }),
);
const arrows = [...graph].flatMap(([file, imports]) =>
  imports
    .filter((imported) => {
      const [from, to] = [getArea(file), getArea(imported)];
      if (file.startsWith('web/')) return !imported.startsWith('web/') || !isAllowedInWeb(from, to);
      return !imported.startsWith('src/') || !isAllowed(from, to);
    })
    .map((imported) => `${file} imports ${imported}`),
);
const cycles = findCycles(graph).map((cycle) => cycle.join(' ⇄ '));

if (arrows.length) console.error(`Imports against the layers:\n  ${arrows.join('\n  ')}`);
if (cycles.length) console.error(`Import cycles:\n  ${cycles.join('\n  ')}`);
if (arrows.length || cycles.length) process.exitCode = 1;
