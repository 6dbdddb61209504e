/** How much a browser loads before a page of the console works: the entry, the frame and the page, with imports. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parseOwnJson } from '../../platform/json/own-json.ts';

interface Chunk {
  file: string;
  isEntry?: boolean;
  imports?: string[];
  dynamicImports?: string[];
}

type Manifest = Record<string, Chunk>;

/** Scripts and styles of the layout that every signed-in page uses. */
const FRAME = 'app/WorkspaceLayout.tsx';

/** Chunks that are loaded with `name`, itself included. */
function closure(manifest: Manifest, name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const imported of manifest[name]?.imports ?? []) closure(manifest, imported, found);
  return found;
}

interface FirstLoad {
  /** Scripts and style sheets. */
  files: number;
  /** Of gzipped JavaScript. */
  bytes: number;
}

/**
 * Returns the files that the first visit of each page loads, by its source (`features/overview/Overview.tsx`).
 * @param folder the built console, with its manifest
 */
export function firstLoads(folder: string): Map<string, FirstLoad> {
  const manifest = parseOwnJson<Manifest>(readFileSync(join(folder, '.vite/manifest.json'), 'utf8'));
  const size = (name: string): number =>
    gzipSync(readFileSync(join(folder, manifest[name]?.file ?? '')), { level: 9 }).length;
  const [entry = '', { dynamicImports = [] } = {}] =
    Object.entries(manifest).find(([, chunk]) => chunk.isEntry) ?? [];
  const styles = readdirSync(join(folder, 'assets')).filter((name) => name.endsWith('.css')).length;
  return new Map(
    dynamicImports
      .filter((name) => name.startsWith('features/'))
      .map((page) => {
        const chunks = new Set([entry, FRAME, page].flatMap((name) => [...closure(manifest, name)]));
        const bytes = [...chunks].reduce((sum, name) => sum + size(name), 0);
        return [page, { files: chunks.size + styles, bytes }];
      }),
  );
}

/**
 * Returns chunks that import each other in a circle, statically. A chunk that waits for the language would then never
 * run, or run before its dependencies.
 * @param folder the built console, with its manifest
 */
export function chunkCycles(folder: string): string[] {
  const manifest = parseOwnJson<Manifest>(readFileSync(join(folder, '.vite/manifest.json'), 'utf8'));
  const cycles = new Set<string>();
  const done = new Set<string>();
  const visit = (name: string, path: readonly string[]): void => {
    if (path.includes(name)) cycles.add([...path.slice(path.indexOf(name)), name].join(' → '));
    if (done.has(name) || path.includes(name)) return;
    for (const imported of manifest[name]?.imports ?? []) visit(imported, [...path, name]);
    done.add(name);
  };
  for (const name of Object.keys(manifest)) visit(name, []);
  return [...cycles];
}
