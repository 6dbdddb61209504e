/**
 * Fails for functions of more than 200 lines. A function that holds others is cut by what they share. What only declares
 * operations (`*.routes.ts`) may be longer.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import ts from 'typescript';

const MAX_LINES = 200;

const isSource = (file: string): boolean =>
  /\.tsx?$/.test(file) && !/(\.test\.tsx?|\.d\.ts|\.routes\.ts)$/.test(file) && existsSync(file);

interface Sized {
  name: string;
  lines: number;
}

/** Returns the outermost functions that are too long. */
function findLong(file: string): Sized[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const getLine = (position: number): number => source.getLineAndCharacterOfPosition(position).line;
  const found: Sized[] = [];
  const visit = (node: ts.Node): void => {
    const lines = getLine(node.end) - getLine(node.getStart()) + 1;
    if (lines <= MAX_LINES) return;
    if (!ts.isFunctionLike(node)) return ts.forEachChild(node, visit);
    const named = node.name ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name : undefined);
    found.push({ name: `${file} ${named?.getText() ?? '(anonymous)'}`, lines });
  };
  ts.forEachChild(source, visit);
  return found;
}

const tracked = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', 'src/', 'web/'],
  {
    encoding: 'utf8',
  },
);
const tooLong = tracked
  .split('\n')
  .filter(isSource)
  .flatMap(findLong)
  .toSorted((a, b) => b.lines - a.lines);
if (tooLong.length) {
  console.error(`Functions of more than ${MAX_LINES} lines:`);
  for (const { name, lines } of tooLong) console.error(`  ${lines} ${name}`);
  process.exitCode = 1;
}
