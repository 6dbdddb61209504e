/**
 * `npm run check:wall-clock`: finds tests that depend on the speed of the machine. A busy machine stalls for seconds, so
 * a test asserts no upper bound on elapsed time, and waits with PATIENCE (test/support/patience.ts). What must be fast is
 * proven otherwise: by CPU time (test/support/cpu.ts), by counting, or by a clock that the test controls.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '..');
/** Bounds from here on only tell "soon" from "never". */
const MIN_BOUND_MS = 15_000;
/** The timeout of PATIENCE. */
const MIN_WAIT_MS = 30_000;

const CLOCK = /\bperformance\.now\(\)|\bDate\.now\(\)/;
const UPPER_BOUNDS = new Set(['toBeLessThan', 'toBeLessThanOrEqual']);

const parseNumber = (node: ts.Node | undefined): number | null =>
  node && ts.isNumericLiteral(node) ? Number(node.text) : null;

/** Returns what `expect` was called with, for a matcher like `expect(…).not.toBe`. */
function expected(matcher: ts.PropertyAccessExpression): ts.Expression | null {
  let at: ts.Expression = matcher.expression;
  while (ts.isPropertyAccessExpression(at)) at = at.expression;
  return ts.isCallExpression(at) && at.expression.getText() === 'expect' ? (at.arguments[0] ?? null) : null;
}

/** Names that hold an elapsed time: the difference of a clock and something else. */
function elapsedNames(file: ts.SourceFile): Set<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && node.initializer) {
      const text = node.initializer.getText();
      if (CLOCK.test(text) && / - /.test(text) && ts.isIdentifier(node.name)) names.add(node.name.text);
    }
    node.forEachChild(visit);
  };
  visit(file);
  return names;
}

function faultsIn(path: string): string[] {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const elapsed = elapsedNames(file);
  const faults: string[] = [];
  const report = (node: ts.Node, message: string): void => {
    faults.push(`${path}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1} ${message}`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { name } = node.expression;
      if (node.expression.getText() === 'process.cpuUsage')
        report(name, 'counts the work of other threads too: use test/support/cpu.ts');
      const value = UPPER_BOUNDS.has(name.text) ? expected(node.expression) : null;
      const isElapsed =
        value !== null &&
        ((CLOCK.test(value.getText()) && / - /.test(value.getText())) || elapsed.has(value.getText()));
      if (isElapsed && (parseNumber(node.arguments[0]) ?? 0) < MIN_BOUND_MS)
        report(name, 'asserts that little time went by');
      if (name.text === 'waitFor' || name.text === 'poll')
        for (const options of node.arguments.slice(1))
          if (ts.isObjectLiteralExpression(options))
            for (const property of options.properties)
              if (ts.isPropertyAssignment(property) && property.name.getText() === 'timeout') {
                const ms = parseNumber(property.initializer);
                if (ms !== null && ms < MIN_WAIT_MS) report(property, 'waits for less than PATIENCE');
              }
    }
    node.forEachChild(visit);
  };
  visit(file);
  return faults;
}

const faults = globSync('{src,test}/**/*.test.ts', { cwd: ROOT }).toSorted().flatMap(faultsIn);
for (const fault of faults) console.log(fault);
process.exit(faults.length ? 1 : 0);
