/** What templates are tried on: a request that was stored, an example, or JSON that the reader typed. */
export interface Received {
  payload: unknown;
  headers: Record<string, string>;
  query: Record<string, string>;
}

export interface Sample {
  /** Id of a stored one, `example:…`, or `typed`. */
  source: string;
  received: Received;
  /** The payload as it is typed; it need not be JSON (yet). */
  text: string;
  /** Why it can't be read; null where it can. */
  fault: string | null;
}

export const TYPED = 'typed';

const indented = (value: unknown): string => JSON.stringify(value, null, 2) ?? '';

/** @param given a stored request, or an example; of more than it needs it takes what templates see */
export const sampleOf = (
  source: string,
  { payload, headers = {}, query = {} }: Partial<Received> & { payload: unknown },
): Sample => ({
  source,
  received: { payload, headers, query },
  text: indented(payload),
  fault: null,
});

/** Typed over: while it can't be read, what could be read last is tried. */
export function typedSample(before: Sample, text: string): Sample {
  try {
    const payload: unknown = JSON.parse(text);
    return { source: TYPED, received: { ...before.received, payload }, text, fault: null };
  } catch (error) {
    const fault = error instanceof SyntaxError ? error.message : String(error);
    return { ...before, source: TYPED, text, fault: `Not JSON (yet): ${fault}` };
  }
}

/** What senders post, cut to what one writes messages of. */
export const EXAMPLES: { id: string; label: string; received: Partial<Received> & { payload: unknown } }[] = [
  {
    id: 'example:blog',
    label: 'A blog post',
    received: {
      payload: {
        id: 42,
        title: 'Spring is here',
        url: 'https://example.com/spring',
        author: { name: 'Ada', email: 'ada@example.com' },
        tags: ['news', 'garden'],
        published: true,
      },
    },
  },
  {
    id: 'example:github',
    label: 'GitHub: a push',
    received: {
      headers: { 'x-github-event': 'push', 'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958' },
      payload: {
        ref: 'refs/heads/main',
        compare: 'https://github.com/octo/shop/compare/6113728f27ae...76b2c0f1d4e5',
        repository: { full_name: 'octo/shop', html_url: 'https://github.com/octo/shop' },
        pusher: { name: 'octocat' },
        commits: [
          { id: '76b2c0f1d4e5', message: 'Sell tulips', author: { name: 'Octo Cat' } },
          { id: '3a5d0c9b8f11', message: 'Count them', author: { name: 'Octo Cat' } },
        ],
      },
    },
  },
  {
    id: 'example:stripe',
    label: 'Stripe: a payment',
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
            description: '12 tulips',
          },
        },
      },
    },
  },
  {
    id: 'example:form',
    label: 'A contact form',
    received: {
      payload: { name: 'Ada', email: 'ada@example.com', phone: '+491701234567', message: 'Do you deliver?' },
    },
  },
];

export const firstExample = (): Sample => {
  const [first] = EXAMPLES;
  return sampleOf(first?.id ?? TYPED, first?.received ?? { payload: {} });
};
