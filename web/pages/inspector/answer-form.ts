/** What the dialog of an inspector holds, and the bodies of the calls that it stands for. */
import type { Inspector } from '../../api/types.ts';

export interface InspectorForm {
  name: string;
  answer: { status: number; delay_ms: number; body: string; headers: string };
}

/** Answers worth trying, by what a webhook does on them. */
export const PRESETS = [
  { status: 200, label: '200', says: 'received' },
  { status: 500, label: '500', says: 'shows retries' },
  { status: 429, label: '429', says: 'shows waiting, with Retry-After' },
  { status: 410, label: '410', says: 'disables the webhook' },
] as const;

export const inspectorForm = (inspector: Inspector | null, count: number): InspectorForm => ({
  name: inspector?.name ?? `Inspector ${count + 1}`,
  answer: {
    status: inspector?.answer.status ?? 200,
    delay_ms: inspector?.answer.delay_ms ?? 0,
    body: inspector?.answer.body ?? '',
    headers: Object.entries(inspector?.answer.headers ?? {})
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
  },
});

/** A line each: `Name: value`. A line without a colon becomes a name, for the server to refuse. */
const headersOf = (lines: string): Record<string, string> =>
  Object.fromEntries(
    lines
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => {
        const at = line.indexOf(':');
        return at < 0 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
      }),
  );

export const inspectorBody = ({ name, answer }: InspectorForm) => ({
  name: name.trim(),
  answer: { ...answer, headers: headersOf(answer.headers) },
});
