/**
 * `npm run check:json`: finds sources that parse JSON on their own. JSON of others is parsed by
 * src/platform/json/foreign-json.ts, which bounds it first: a few MiB of `[],` block the event loop for seconds. JSON that
 * Fairlead wrote is parsed by src/platform/json/own-json.ts, so that every place says which of the two it has.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '..');
// The parsers themselves, and what reads a body twice that foreign-json.ts has checked once.
const ALLOWED = /^src\/platform\/(?:json\/|http\/json-body\.ts$)/;
/** Tests, and programs that stand in for others. */
const EXEMPT = /\.test\.ts$|(?:^|\/)testing(?:\/|\.ts$)/;

/** Returns what parses without bounds, as it is written; null for any other node. */
function getParser(node: ts.Node): string | null {
  if (ts.isPropertyAccessExpression(node)) {
    const { expression, name } = node;
    if (expression.getText() === 'JSON' && name.text === 'parse') return 'JSON.parse';
    // Of a response, whatever it is called.
    if (name.text === 'json' && ts.isCallExpression(node.parent) && node.parent.arguments.length === 0)
      return `${expression.getText()}.json()`;
  }
  if (ts.isElementAccessExpression(node) && node.expression.getText() === 'JSON') return node.getText();
  // `const { parse } = JSON`
  if (ts.isVariableDeclaration(node) && node.initializer?.getText() === 'JSON') return node.getText();
  if (ts.isImportSpecifier(node) && (node.propertyName ?? node.name).text === 'json') {
    const from = node.parent.parent.parent.moduleSpecifier.getText();
    return from.includes('stream/consumers') ? `json of ${from}` : null;
  }
  // Given to parseForeignJson, it is not called.
  return ts.isCallExpression(node) && node.expression.getText() === 'parseLossless' ? 'parseLossless' : null;
}

function findFaults(path: string): string[] {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const faults: string[] = [];
  const visit = (node: ts.Node): void => {
    const parser = getParser(node);
    if (parser !== null) {
      const line = file.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      faults.push(`${path}:${line} ${parser}: use parseForeignJson, or parseOwnJson for what Fairlead wrote`);
    }
    node.forEachChild(visit);
  };
  visit(file);
  return faults;
}

const faults = globSync('src/**/*.ts', { cwd: ROOT })
  .filter((path) => !ALLOWED.test(path) && !EXEMPT.test(path))
  .toSorted()
  .flatMap(findFaults);
for (const fault of faults) console.log(fault);
process.exit(faults.length > 0 ? 1 : 0);
