/** What fails where a developer forgets an edit, or a part of it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CopyOfProduct, Edit, Ran } from './copy-of-product.ts';

/** The type checks, and test files. */
export type Check = 'types' | 'types of the console' | `${string}.test.ts`;

interface Omitted {
  what: string;
  caughtBy: Check;
  /** In what the check says then. */
  says: RegExp;
}

/** An edit that is needed. */
export interface NeededEdit extends Edit, Omitted {
  /** Texts in `insert`, each of which may be forgotten alone. */
  parts?: readonly (Omitted & { text: string })[];
}

export interface Omission extends Omitted {
  file: string;
  /** What the file lacks. */
  text: string;
}

/** Lists each edit as forgotten, and each of its parts. */
export const listOmissions = (edits: readonly NeededEdit[]): Omission[] =>
  edits.flatMap(({ insert, parts = [], ...edit }) => [
    { ...edit, text: insert },
    ...parts.map((part) => ({ ...part, file: edit.file })),
  ]);

const TSC = 'node_modules/typescript-7/bin/tsc';

/** Checks the types of all that the server and the console consist of, which `npm run check:types` does with all tests. */
async function checkTypes(copy: CopyOfProduct, project: string, include: readonly string[]): Promise<Ran> {
  const file = join(project, 'tsconfig.product.json');
  await writeFile(join(copy.path, file), JSON.stringify({ extends: './tsconfig.json', include }));
  return copy.node(TSC, '--noEmit', '-p', file);
}

const CONTRACT = 'test/contract/';

/** Runs tests over all operations for those on notes alone. */
export const runContract = (copy: CopyOfProduct, files: readonly string[]): Promise<Ran> =>
  copy.vitest(...files, '--testNamePattern', String.raw`^notes\.`);

export function runCheck(copy: CopyOfProduct, check: Check): Promise<Ran> {
  if (check === 'types') return checkTypes(copy, '.', ['src/main.ts']);
  if (check === 'types of the console') return checkTypes(copy, 'web', ['main.tsx', 'vite.config.ts']);
  return check.startsWith(CONTRACT) ? runContract(copy, [check]) : copy.vitest(check);
}

/** Checks all types, with those of tests, as `npm run check:types` does. */
export async function checkAllTypes(copy: CopyOfProduct): Promise<Ran> {
  const steps = [
    [TSC, '--noEmit'],
    [TSC, '--noEmit', '-p', 'web'],
  ];
  const outputs: string[] = [];
  for (const step of steps) {
    const { passed, output } = await copy.node(...step);
    outputs.push(output);
    if (!passed) return { passed, output: outputs.join('') };
  }
  return { passed: true, output: outputs.join('') };
}

/** Generates the types of the database and the API, which the checks read. @throws Error if one fails */
export async function generateTypes(copy: CopyOfProduct): Promise<void> {
  for (const script of ['scripts/db-types.ts', 'scripts/api-types.ts']) {
    const { passed, output } = await copy.node(script);
    if (!passed) throw new Error(`${script} failed:\n${output}`);
  }
}

/** Lists the files that are edited, each once. */
export const listFiles = (edits: readonly Edit[]): string[] => [...new Set(edits.map(({ file }) => file))];
