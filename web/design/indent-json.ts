/**
 * Indents JSON, whose numbers stay as they are written: `8202522731445525542`, `10.00`. A browser that cannot tell how
 * they are written shows them as doubles.
 */

type KeepSource = (name: string, value: unknown, context?: { source?: string }) => unknown;
const parse = JSON.parse as (text: string, reviver: KeepSource) => unknown;
/** Not in TypeScript's declarations yet. */
const { rawJSON } = JSON as unknown as { rawJSON?(source: string): object };

/** @throws SyntaxError */
export const indentJson = (text: string): string =>
  JSON.stringify(
    parse(text, (_name, value, context) =>
      typeof value === 'number' && rawJSON && context?.source !== undefined ? rawJSON(context.source) : value,
    ),
    null,
    2,
  );
