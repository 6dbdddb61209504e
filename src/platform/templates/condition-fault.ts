/** Says in words what is wrong with a condition that LiquidJS can't read; LiquidJS itself names its own tokens. */

const COMPARISONS = String.raw`==|!=|>=|<=|>|<`;
const STARTS = new RegExp(String.raw`^(${COMPARISONS}|(?:contains|and|or)\b)`);
const ENDS = new RegExp(String.raw`(${COMPARISONS}|\b(?:contains|and|or|not))$`);
const QUOTED = /"[^"]*"|'[^']*'/g;
const SHOWN = 20;
const EXAMPLE = 'such as `payload.price > 10`';

/** @param rest what follows the part that can be read */
export function explainCondition(source: string, rest: string): string {
  const text = source.trim();
  if (text === '') return `the condition is empty; write one ${EXAMPLE}`;
  const code = text.replace(QUOTED, '""');
  if (/\{[{%]|[%}]\}/.test(code)) return `a condition is written without braces, ${EXAMPLE}`;
  const [wrong] = /&&|\|\||(?<![=!<>])=(?!=)/.exec(code) ?? [];
  if (wrong !== undefined)
    return `write \`${{ '&&': 'and', '||': 'or' }[wrong] ?? '=='}\` instead of \`${wrong}\``;
  const last = ENDS.exec(code)?.[1];
  if (last !== undefined) return `a value is missing after \`${last}\``;
  const first = STARTS.exec(code)?.[1];
  if (first !== undefined) return `a value is missing before \`${first}\``;
  const near = rest.trim().slice(0, SHOWN);
  const place = near === '' ? 'this is not a condition' : `unexpected \`${near}\``;
  return `${place}; compare values with ==, !=, <, >, <=, >= or contains, and join conditions with and, or`;
}
