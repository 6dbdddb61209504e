/** What the webhook form holds, and the body of the API call that it stands for. */
import type { NewWebhook, WebhookChange } from '../../api/webhooks.ts';
import type { RateChoice } from '../../ui/RateFields.tsx';
import type { Webhook } from '../../api/types.ts';
import { changes } from '../../ui/changes.ts';

export interface HeaderRow {
  /** Tells rows apart while their names change. */
  key: number;
  name: string;
  value: string;
  /** The server has a value, which nobody can read; it stays unless another is written. */
  kept: boolean;
}

export interface WebhookForm {
  url: string;
  events: string[];
  description: string;
  kind: Webhook['kind'];
  /** Event type or pattern → Liquid. */
  templates: Record<string, string>;
  filters: { instance_id: string; link_id: string; tag: string };
  headers: HeaderRow[];
  rate_limit: RateChoice;
  concurrency: number;
  ordering: Webhook['ordering'];
  /** One of the user's own, when it is made; empty has the server make it. */
  secret: string;
}

/** Deliveries at once that a new webhook gets, as the API has it. */
export const DEFAULT_CONCURRENCY = 32;
const DEFAULT_RATE = { limit: 600, burst: 120 };
const NO_FILTERS = { instance_id: '', link_id: '', tag: '' };

let keys = 0;
export const headerRow = (row: Partial<HeaderRow> = {}): HeaderRow => ({
  key: ++keys,
  name: '',
  value: '',
  kept: false,
  ...row,
});

export const emptyWebhookForm = (): WebhookForm => ({
  url: '',
  events: [],
  description: '',
  kind: 'custom',
  templates: {},
  filters: NO_FILTERS,
  headers: [],
  rate_limit: { limited: false, ...DEFAULT_RATE },
  concurrency: DEFAULT_CONCURRENCY,
  ordering: 'none',
  secret: '',
});

/** The form of a webhook that exists. */
export const webhookFormOf = (webhook: Webhook): WebhookForm => ({
  ...emptyWebhookForm(),
  url: webhook.url,
  events: webhook.events,
  description: webhook.description ?? '',
  kind: webhook.kind,
  templates: webhook.templates,
  filters: {
    instance_id: webhook.filters.instance_id ?? '',
    link_id: webhook.filters.link_id ?? '',
    tag: webhook.filters.tag ?? '',
  },
  headers: Object.keys(webhook.headers).map((name) => headerRow({ name, kept: true })),
  rate_limit: { ...DEFAULT_RATE, ...webhook.rate_limit, limited: webhook.rate_limit !== null },
  concurrency: webhook.concurrency,
  ordering: webhook.ordering,
});

const filtersOf = ({ instance_id, link_id, tag }: WebhookForm['filters']) => ({
  ...(instance_id.trim() && { instance_id: instance_id.trim() }),
  ...(link_id.trim() && { link_id: link_id.trim() }),
  ...(tag.trim() && { tag: tag.trim() }),
});

const named = (rows: readonly HeaderRow[]): HeaderRow[] =>
  rows.filter(({ name, value }) => name.trim() !== '' || value !== '');

/** null keeps the value that the server has. */
const headersOf = (rows: readonly HeaderRow[]): Record<string, string | null> =>
  Object.fromEntries(
    named(rows).map(({ name, value, kept }) => [name.trim(), kept && value === '' ? null : value]),
  );

const rateOf = ({ limited, limit, burst }: WebhookForm['rate_limit']) => (limited ? { limit, burst } : null);

export function bodyOf(form: WebhookForm): NewWebhook {
  const filters = filtersOf(form.filters);
  const headers = headersOf(form.headers) as Record<string, string>;
  return {
    url: form.url.trim(),
    events: form.events,
    ...(form.description.trim() && { description: form.description.trim() }),
    ...(form.kind !== 'custom' && { kind: form.kind }),
    ...(Object.keys(form.templates).length > 0 && { templates: form.templates }),
    ...(Object.keys(filters).length > 0 && { filters }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(form.rate_limit.limited && { rate_limit: rateOf(form.rate_limit) }),
    ...(form.concurrency !== DEFAULT_CONCURRENCY && { concurrency: form.concurrency }),
    ...(form.ordering !== 'none' && { ordering: form.ordering }),
    ...(form.secret.trim() && { secret: form.secret.trim() }),
  };
}

const wantedOf = (form: WebhookForm) => ({
  url: form.url.trim(),
  events: form.events,
  description: form.description.trim() || null,
  kind: form.kind,
  templates: form.templates,
  filters: filtersOf(form.filters),
  headers: headersOf(form.headers),
  rate_limit: rateOf(form.rate_limit),
  concurrency: form.concurrency,
  ordering: form.ordering,
});

export const changeOf = (form: WebhookForm, webhook: Webhook): WebhookChange =>
  changes(wantedOf(form), wantedOf(webhookFormOf(webhook)));

/** Whether a url points elsewhere than the webhook's own: then credentials in headers must be given again. */
export function movesOrigin(url: string, webhook: Webhook): boolean {
  return URL.canParse(url) && new URL(url).origin !== new URL(webhook.url).origin;
}
