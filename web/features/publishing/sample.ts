/** Samples for the preview: a stored request, an example, or JSON typed by the user. */
import { t } from '../../copy/text.ts';
import { CUSTOM, formatJson, readJson } from '../../patterns/workbench/json-text.ts';

export interface Received {
  payload: unknown;
  headers: Record<string, string>;
  query: Record<string, string>;
}

export interface Sample {
  /** ID of a stored request, `example:…`, or `custom`. */
  source: string;
  received: Received;
  /** The payload as typed; may be invalid JSON. */
  text: string;
  /** Why the text is not valid JSON; null if it is. */
  error: string | null;
}

/** Returns a sample of a stored request or an example. */
export const toSample = (
  source: string,
  { payload, headers = {}, query = {} }: Partial<Received> & { payload: unknown },
): Sample => ({
  source,
  received: { payload, headers, query },
  text: formatJson(payload),
  error: null,
});

/** Returns the sample with edited text. While the text is invalid, the last valid payload is used. */
export function typedSample(before: Sample, text: string): Sample {
  const { value: payload, error } = readJson(text);
  const received = error === null ? { ...before.received, payload } : before.received;
  return { source: CUSTOM, received, text, error };
}

/** Typical payloads, shortened to the fields that messages use. */
export const EXAMPLES: { id: string; label: string; received: Partial<Received> & { payload: unknown } }[] = [
  {
    id: 'example:blog',
    label: t('Blog post'),
    received: {
      payload: {
        id: 42,
        title: t('Spring is here'),
        url: 'https://example.com/spring',
        author: { name: 'Ada', email: 'ada@example.com' },
        tags: ['news', 'garden'],
        published: true,
      },
    },
  },
  {
    id: 'example:github',
    label: t('GitHub push'),
    received: {
      headers: { 'x-github-event': 'push', 'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958' },
      payload: {
        ref: 'refs/heads/main',
        compare: 'https://github.com/octo/shop/compare/6113728f27ae...76b2c0f1d4e5',
        repository: { full_name: 'octo/shop', html_url: 'https://github.com/octo/shop' },
        pusher: { name: 'octocat' },
        commits: [
          { id: '76b2c0f1d4e5', message: t('Sell tulips'), author: { name: 'Octo Cat' } },
          { id: '3a5d0c9b8f11', message: t('Count them'), author: { name: 'Octo Cat' } },
        ],
      },
    },
  },
  {
    id: 'example:stripe',
    label: t('Stripe payment'),
    received: {
      payload: {
        id: 'evt_1NG8Du2eZvKYlo2CUI79vXWy',
        type: 'payment_intent.succeeded',
        data: {
          object: {
            id: 'pi_3NG8Du2eZvKYlo2C1',
            amount: 4200,
            currency: 'eur',
            receipt_email: 'ada@example.com',
            description: t('12 tulips'),
          },
        },
      },
    },
  },
  {
    id: 'example:form',
    label: t('Contact form'),
    received: {
      payload: {
        name: 'Ada',
        email: 'ada@example.com',
        phone: '+491701234567',
        message: t('Do you deliver?'),
      },
    },
  },
];

export const firstExample = (): Sample => {
  const [first] = EXAMPLES;
  return toSample(first?.id ?? CUSTOM, first?.received ?? { payload: {} });
};
