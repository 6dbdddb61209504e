/**
 * Checks the imports of src/ and web/, type imports included: they go from upper to lower layers only, surfaces and
 * channel drivers do not import each other, and neither files nor folders import each other in a circle (a folder and
 * one inside it are two). Lazy imports and style sheets count. docs/architecture.md draws the layers.
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
const IMPORT = /(?:\bfrom|\bimport\(|\bimport)\s*'(\.{1,2}\/[^']+\.(?:tsx?|js|css))'/g;

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

/** Strongly connected components with more than one node (Tarjan). */
function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const visit = (node: string): void => {
    index.set(node, index.size);
    low.set(node, index.get(node)!);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(node, Math.min(low.get(node)!, low.get(next)!));
    }
    if (low.get(node) !== index.get(node)) return;
    const component = stack.splice(stack.indexOf(node));
    if (component.length > 1) cycles.push(component.toSorted());
  };
  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return cycles;
}

/** A shortest circle in a strongly connected component; it ends with the node that it starts with. */
function findShortestCircle(graph: ReadonlyMap<string, readonly string[]>, component: string[]): string[] {
  const circles = component.map((start) => {
    const paths = [[start]];
    const seen = new Set<string>();
    for (const path of paths) {
      for (const next of graph.get(path.at(-1)!) ?? []) {
        if (next === start) return [...path, next];
        if (component.includes(next) && !seen.has(next)) paths.push([...path, next]);
        seen.add(next);
      }
    }
    return [];
  });
  return circles.toSorted((one, other) => one.length - other.length)[0]!;
}

/** A shortest one of the circles of each knot of folders, with an import for each of its arrows. */
function findFolderCircles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const edges = [...graph]
    .flatMap(([file, imports]) => imports.map((imported) => ({ file, imported })))
    .map((edge) => ({ ...edge, from: dirname(edge.file), to: dirname(edge.imported) }))
    .filter(({ from, to }) => from !== to);
  const folders = new Map(
    [...Map.groupBy(edges, ({ from }) => from)].map(([folder, own]) => [folder, own.map(({ to }) => to)]),
  );
  return findCycles(folders).map((knot) => {
    const circle = findShortestCircle(folders, knot);
    const imports = circle.slice(1).map((to, index) => {
      const { file, imported } = edges.find((edge) => edge.from === circle[index] && edge.to === to)!;
      return `${file} imports ${imported}`;
    });
    return [circle.join(' → '), ...imports].join('\n    ');
  });
}

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'src', 'web'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter(
    (file) =>
      /\.(tsx?|js|css)$/.test(file) &&
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
const folderCircles = findFolderCircles(graph);

if (arrows.length) console.error(`Imports against the layers:\n  ${arrows.join('\n  ')}`);
if (cycles.length) console.error(`Import cycles:\n  ${cycles.join('\n  ')}`);
if (folderCircles.length) console.error(`Circles of folders:\n  ${folderCircles.join('\n  ')}`);
if (arrows.length || cycles.length || folderCircles.length) process.exitCode = 1;
