/** How much a browser loads before a page of the console works: the entry, the frame and the page, with imports. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

interface Chunk {
  file: string;
  isEntry?: boolean;
  imports?: string[];
  dynamicImports?: string[];
}

type Manifest = Record<string, Chunk>;

/** Scripts and styles of the layout that every signed-in page uses. */
const FRAME = 'shell/WorkspaceLayout.tsx';

/** Chunks that are loaded with `name`, itself included. */
function closure(manifest: Manifest, name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const imported of manifest[name]?.imports ?? []) closure(manifest, imported, found);
  return found;
}

/**
 * Bytes of gzipped JavaScript at the first visit of each page, by its source (`pages/overview/Overview.tsx`).
 * @param folder the built console, with its manifest
 */
export function firstLoads(folder: string): Map<string, number> {
  const manifest = JSON.parse(readFileSync(join(folder, '.vite/manifest.json'), 'utf8')) as Manifest;
  const size = (name: string): number =>
    gzipSync(readFileSync(join(folder, manifest[name]?.file ?? '')), { level: 9 }).length;
  const [entry = '', { dynamicImports = [] } = {}] =
    Object.entries(manifest).find(([, chunk]) => chunk.isEntry) ?? [];
  return new Map(
    dynamicImports
      .filter((name) => name.startsWith('pages/'))
      .map((page) => {
        const chunks = new Set([entry, FRAME, page].flatMap((name) => [...closure(manifest, name)]));
        return [page, [...chunks].reduce((sum, name) => sum + size(name), 0)];
      }),
  );
}
