/**
 * `npm run check:named-files`: finds paths and files that pages and comments name and that are not there. A bare name or
 * the end of a path is enough (`cluster.ts`, `embedded-postgres/cluster.ts`); of a placeholder (`src/channels/<name>/`) the
 * folder before it must exist.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '..');
const FOLDERS = ['src', 'test', 'web', 'scripts', 'bench', 'docs', 'deploy', 'bin', '.ci'];
const SKIPPED = ['**/node_modules/**', 'dist/**', 'test/support/channels/tools/node_modules/**'];

const files = globSync([...FOLDERS.map((folder) => `${folder}/**`), '*'], { cwd: ROOT, exclude: SKIPPED });
const paths = new Set(files);
/** Every end of every path, itself too. */
const ends = new Set(
  files.flatMap((path) => {
    const parts = path.split('/');
    return parts.map((_, index) => parts.slice(index).join('/'));
  }),
);

const PATH = new RegExp(
  `(?<![\\w./-])(?:${FOLDERS.map((name) => name.replace('.', '\\.')).join('|')})/[\\w./<>{}*,-]*`,
  'g',
);
const FILE = /(?<![\w./@:*>-])[\w-][\w.-]*(?:\/[\w.-]+)*\.(?:tsx?|sql|mjs|cjs)\b(?!\()/g;
/** Named as what a reader makes, or of other projects. */
const FOREIGN = new Set(['receiver.mjs', 'fairlead.ts', 'web/copy/de.json', 'src/test.c']);

/** The part of a path before its first placeholder, up to a folder. */
function concrete(path: string): string {
  const place = path.search(/[<{*]/);
  const known = place < 0 ? path : path.slice(0, path.lastIndexOf('/', place) + 1);
  return known.replace(/[.,/:-]+$/, '');
}

function missingIn(text: string, from: string): string[] {
  const found = [...text.matchAll(PATH)]
    .map(([path]) => concrete(path))
    .filter((path) => !paths.has(path) && !FOREIGN.has(path));
  const names = [...text.matchAll(FILE)].map(([name]) => name.replace(/^(?:\.\/)/, ''));
  const gone = names.filter((name) => !ends.has(name) && !FOREIGN.has(name));
  return [...new Set([...found.filter((path) => !ends.has(path)), ...gone])].map(
    (name) => `${from}: ${name}`,
  );
}

/** The comments of a source file, each with its line. */
function getComments(path: string): { text: string; line: number }[] {
  const text = readFileSync(join(ROOT, path), 'utf8');
  if (path.endsWith('.sql'))
    return [...text.matchAll(/^\s*--.*$/gm)].map(({ 0: comment, index }) => ({
      text: comment,
      line: text.slice(0, index).split('\n').length,
    }));
  const scanner = ts.createScanner(
    ts.ScriptTarget.Latest,
    false,
    path.endsWith('x') ? ts.LanguageVariant.JSX : ts.LanguageVariant.Standard,
    text,
  );
  const comments: { text: string; line: number }[] = [];
  for (let token = scanner.scan(); token !== ts.SyntaxKind.EndOfFileToken; token = scanner.scan())
    if (token === ts.SyntaxKind.SingleLineCommentTrivia || token === ts.SyntaxKind.MultiLineCommentTrivia)
      comments.push({
        text: scanner.getTokenText(),
        line: text.slice(0, scanner.getTokenStart()).split('\n').length,
      });
  return comments;
}

const missing = [
  ...files
    .filter((path) => path.endsWith('.md') && !path.includes('/tools/'))
    .flatMap((path) =>
      readFileSync(join(ROOT, path), 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          // In a page only what is set as code is a name.
          [...line.matchAll(/`([^`]+)`/g)].flatMap(([, code]) => missingIn(code!, `${path}:${index + 1}`)),
        ),
    ),
  ...files
    .filter((path) => /^(?:src|test|web|scripts|bench)\/.*\.(?:tsx?|sql)$/.test(path))
    .flatMap((path) => getComments(path).flatMap(({ text, line }) => missingIn(text, `${path}:${line}`))),
];
for (const each of missing) console.log(each);
process.exit(missing.length > 0 ? 1 : 0);
