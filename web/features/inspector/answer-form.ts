/** The values of the inspector dialog and the request body they stand for. */
import { t } from '../../copy/text.ts';
import type { Inspector } from '../../api/types.ts';
import { getMetadata, type MetadataPair, toPairs } from '../../patterns/form/metadata.ts';

export interface InspectorForm {
  name: string;
  metadata: MetadataPair[];
  answer: { status: number; delay_ms: number; body: string; headers: string };
}

/** Common responses, with how a webhook reacts to each. */
export const PRESETS = [
  { status: 200, label: '200', tooltip: t('Success') },
  { status: 500, label: '500', tooltip: t('Triggers retries') },
  { status: 429, label: '429', tooltip: t('Delays the next attempt with Retry-After') },
  { status: 410, label: '410', tooltip: t('Disables the webhook') },
] as const;

export const toInspectorForm = (inspector: Inspector | null, count: number): InspectorForm => ({
  name: inspector?.name ?? t('Inspector {number}', { number: count + 1 }),
  metadata: toPairs(inspector?.metadata),
  answer: {
    status: inspector?.answer.status ?? 200,
    delay_ms: inspector?.answer.delay_ms ?? 0,
    body: inspector?.answer.body ?? '',
    headers: Object.entries(inspector?.answer.headers ?? {})
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
  },
});

/** Parses lines of `Name: value`. A line without a colon becomes a name, which the server rejects. */
const parseHeaders = (lines: string): Record<string, string> =>
  Object.fromEntries(
    lines
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => {
        const at = line.indexOf(':');
        return at < 0 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
      }),
  );

export const toInspectorBody = ({ name, metadata, answer }: InspectorForm) => ({
  name: name.trim(),
  metadata: getMetadata(metadata),
  answer: { ...answer, headers: parseHeaders(answer.headers) },
});
