/** The values of the webhook form and the request bodies they stand for. */
import { withScheme } from '../../design/addresses.ts';
import { type HeaderRow, newHeaderRow, toHeaders } from './header-rows.ts';
import type { NewWebhook, WebhookChange } from '../../api/webhooks.ts';
import type { RateChoice } from '../../design/RateFields.tsx';
import type { Webhook } from '../../api/types.ts';
import { changes } from '../../design/changes.ts';
import { getMetadata, type MetadataPair, toPairs } from '../../patterns/form/metadata.ts';
import { MASK, maskValues } from '../../patterns/form/mask.ts';

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
  metadata: MetadataPair[];
  /** Custom secret of a new webhook; empty lets the server generate one. */
  secret: string;
}

/** The API's default for concurrent deliveries. */
export const DEFAULT_CONCURRENCY = 32;
const DEFAULT_RATE = { limit: 600, burst: 120 };
const NO_FILTERS = { instance_id: '', link_id: '', tag: '' };

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
  metadata: [],
  secret: '',
});

/** Returns the form values of an existing webhook. */
export const toWebhookForm = (webhook: Webhook): WebhookForm => ({
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
  headers: Object.keys(webhook.headers).map((name) => newHeaderRow({ name, kept: true })),
  rate_limit: { ...DEFAULT_RATE, ...webhook.rate_limit, limited: webhook.rate_limit !== null },
  concurrency: webhook.concurrency,
  ordering: webhook.ordering,
  metadata: toPairs(webhook.metadata),
});

const toFilters = ({ instance_id, link_id, tag }: WebhookForm['filters']) => ({
  ...(instance_id.trim() && { instance_id: instance_id.trim() }),
  ...(link_id.trim() && { link_id: link_id.trim() }),
  ...(tag.trim() && { tag: tag.trim() }),
});

const toRateLimit = ({ limited, limit, burst }: WebhookForm['rate_limit']) =>
  limited ? { limit, burst } : null;

const getHeaders = ({ headers }: WebhookForm, isShown: boolean): Record<string, string | null> =>
  isShown ? maskValues(toHeaders(headers)) : toHeaders(headers);

/** @param isShown whether it is shown as cURL, with secrets masked */
export function toCreateBody(form: WebhookForm, isShown = false): NewWebhook {
  const filters = toFilters(form.filters);
  const headers = getHeaders(form, isShown) as Record<string, string>;
  return {
    url: withScheme(form.url),
    events: form.events,
    ...(form.description.trim() && { description: form.description.trim() }),
    ...(form.kind !== 'custom' && { kind: form.kind }),
    ...(Object.keys(form.templates).length > 0 && { templates: form.templates }),
    ...(Object.keys(filters).length > 0 && { filters }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(form.rate_limit.limited && { rate_limit: toRateLimit(form.rate_limit) }),
    ...(form.concurrency !== DEFAULT_CONCURRENCY && { concurrency: form.concurrency }),
    ...(form.ordering !== 'none' && { ordering: form.ordering }),
    ...(form.metadata.length > 0 && { metadata: getMetadata(form.metadata) }),
    ...(form.secret.trim() && { secret: isShown ? MASK : form.secret.trim() }),
  };
}

const toSettings = (form: WebhookForm, isShown: boolean) => ({
  url: withScheme(form.url),
  events: form.events,
  description: form.description.trim() || null,
  kind: form.kind,
  templates: form.templates,
  filters: toFilters(form.filters),
  headers: getHeaders(form, isShown),
  rate_limit: toRateLimit(form.rate_limit),
  concurrency: form.concurrency,
  ordering: form.ordering,
  metadata: getMetadata(form.metadata),
});

/** @param isShown as of `toCreateBody` */
export const toUpdateBody = (form: WebhookForm, webhook: Webhook, isShown = false): WebhookChange =>
  changes(toSettings(form, isShown), toSettings(toWebhookForm(webhook), isShown));

/** Returns whether a URL has another origin than the webhook; then header values must be entered again. */
export function changesOrigin(url: string, webhook: Webhook): boolean {
  return URL.canParse(url) && new URL(url).origin !== new URL(webhook.url).origin;
}
