/** Finds the texts of the console in its sources: those of the catalog, and literals that miss it. */
import ts from 'typescript';

export interface Literal {
  start: number;
  end: number;
  line: number;
  text: string;
  kind: 'jsx' | 'string' | 'template';
}

/** Attributes and properties whose strings people read. */
const READ =
  /^(label|title|description|placeholder|alt|hint|note|message|text|summary|heading|help|tip|caption|empty|nothing|confirm|cancel|submit|action|warning|consequence|explanation|subtitle|of|aria-(label|description|roledescription|placeholder|valuetext)|\w+(Label|Title|Text|Description|Message|Placeholder|Hint|Note|Help))$/;
/** Calls whose first argument people read. */
const READ_BY = /^(notify\w*|setTitle|t|plural|rich)$/;
/** Identifiers, addresses, code: nothing to translate. */
const isWords = (text: string): boolean => {
  const words = text.trim();
  return (
    /\p{L}{2}/u.test(words) &&
    !/^[a-z0-9_.:/$%-]+$|^[A-Z0-9_]+$|^(https?:\/\/|curl |\$\{)\S*|^\S*[_/{}<>]\S*$/.test(words)
  );
};

const isCopyCall = (node: ts.Node): boolean =>
  ts.isCallExpression(node) &&
  ts.isIdentifier(node.expression) &&
  /^(t|plural|rich)$/.test(node.expression.text);

/** The argument of such a call that is looked up in the catalog. */
const getText = ({ expression, arguments: given }: ts.CallExpression): ts.Expression | undefined =>
  given[expression.getText() === 'plural' ? 1 : 0];

/** Whether a string is a text of the catalog: in the argument of a call that `collectTexts` reads. */
function isCopied(node: ts.Node): boolean {
  for (let at = node; at.parent; at = at.parent) {
    const { parent } = at;
    if (ts.isCallExpression(parent) && isCopyCall(parent)) return at === getText(parent);
    if (ts.isFunctionLike(parent) || ts.isJsxElement(parent) || ts.isBlock(parent)) return false;
  }
  return false;
}

/** Whether an object holds what stands for the names in a text: `{ name: … }` of `t('Delete {name}?', { name: … })`. */
const isValues = ({ parent }: ts.ObjectLiteralExpression): boolean =>
  ts.isCallExpression(parent) && isCopyCall(parent);

/** Whether somebody reads a string at this place, going outward through choices and brackets. */
function isRead(node: ts.Node): boolean {
  const { parent } = node;
  if (
    (ts.isConditionalExpression(parent) && parent.condition !== node) ||
    ts.isParenthesizedExpression(parent) ||
    ts.isAsExpression(parent) ||
    (ts.isBinaryExpression(parent) &&
      [
        ts.SyntaxKind.BarBarToken,
        ts.SyntaxKind.QuestionQuestionToken,
        ts.SyntaxKind.AmpersandAmpersandToken,
        ts.SyntaxKind.PlusToken,
      ].includes(parent.operatorToken.kind)) ||
    (ts.isJsxExpression(parent) && ts.isJsxAttribute(parent.parent))
  )
    return isRead(parent);
  if (ts.isJsxAttribute(parent)) return READ.test(parent.name.getText());
  if (ts.isJsxExpression(parent)) return true;
  if (ts.isPropertyAssignment(parent) && parent.initializer === node)
    return READ.test(parent.name.getText().replaceAll(/['"]/g, '')) || isValues(parent.parent);
  // `{ label = 'Export' }` of a parameter, or of what a parameter is taken apart to.
  if ((ts.isBindingElement(parent) || ts.isParameter(parent)) && parent.initializer === node)
    return READ.test(parent.name.getText());
  if (ts.isArrayLiteralExpression(parent)) return isPairOfRows(parent) && parent.elements[0] === node;
  if (ts.isCallExpression(parent) && ts.isIdentifier(parent.expression))
    return READ_BY.test(parent.expression.text) && parent.arguments[0] === node;
  return false;
}

/** `rows={[['Created', …], …]}` of a description list. */
function isPairOfRows(array: ts.ArrayLiteralExpression): boolean {
  for (let at: ts.Node = array.parent; at; at = at.parent) {
    if (ts.isJsxAttribute(at)) return at.name.getText() === 'rows';
    if (ts.isVariableDeclaration(at)) return at.name.getText() === 'rows';
    if (ts.isFunctionLike(at) && !ts.isArrowFunction(at)) return false;
  }
  return false;
}

function walk(path: string, source: string, visit: (node: ts.Node, file: ts.SourceFile) => void): void {
  const file = ts.createSourceFile(
    path,
    source,
    ts.ScriptTarget.Latest,
    true,
    path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
  );
  const each = (node: ts.Node): void => {
    visit(node, file);
    ts.forEachChild(node, each);
  };
  each(file);
}

/** Finds texts that people read and that are not in the catalog. */
export function findLiterals(path: string, source: string): Literal[] {
  const found: Literal[] = [];
  walk(path, source, (node, file) => {
    const add = (kind: Literal['kind'], text: string): void => {
      const start = node.getStart(file);
      found.push({
        kind,
        text,
        start,
        end: node.getEnd(),
        line: file.getLineAndCharacterOfPosition(start).line + 1,
      });
    };
    if (ts.isJsxText(node)) {
      if (isWords(node.text)) add('jsx', node.text.trim().replaceAll(/\s+/g, ' '));
      return;
    }
    if (isCopied(node)) return;
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
      if (isWords(node.text) && isRead(node)) add('string', node.text);
    } else if (ts.isTemplateExpression(node)) {
      const fixed = [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join(' ');
      if (/(^|\s)\p{L}{2,}/u.test(fixed) && isWords(fixed) && isRead(node))
        add('template', node.getText(file).slice(1, -1));
    }
  });
  return found.toSorted((a, b) => a.start - b.start);
}

/** Collects the texts that `t`, `plural` and `rich` are called with. */
export function collectTexts(path: string, source: string): string[] {
  const texts: string[] = [];
  const strings = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) texts.push(node.text);
    else if (ts.isConditionalExpression(node)) [node.whenTrue, node.whenFalse].forEach(strings);
    else if (ts.isParenthesizedExpression(node)) strings(node.expression);
    else if (ts.isObjectLiteralExpression(node))
      node.properties.forEach(
        (property) => ts.isPropertyAssignment(property) && strings(property.initializer),
      );
  };
  walk(path, source, (node) => {
    if (!ts.isCallExpression(node) || !isCopyCall(node)) return;
    const text = getText(node);
    if (text) strings(text);
  });
  return texts;
}
