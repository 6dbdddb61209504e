/** Validates a model provider in requests: its URL, headers and models. */
import { validateHeaders } from '../../../core/webhooks/webhook-headers.ts';
import { alternativesTo, getSlug } from '../../../core/workspaces/slug.ts';
import { type FieldError, invalid, Problem } from '../../../platform/http/problem.ts';
import { isHttpUrl } from '../../../platform/http/validation.ts';
import { PRESETS } from './provider-kinds.ts';
import {
  type CreateModelProviderBody,
  MAX_URL,
  SLUG_MAX,
  type UpdateModelProviderBody,
} from './provider.schema.ts';

/** First parts of the IDs of built-in models and of routes. */
const RESERVED_SLUGS = ['fairlead', 'route'];
/** Set for each call. */
const RESERVED_HEADERS = ['accept', 'accept-encoding', 'traceparent', 'tracestate'];

function checkUrl(text: string): Omit<FieldError, 'pointer'> | null {
  if (!isHttpUrl(text)) return { code: 'invalid_url', detail: 'must be http or https' };
  const { username, password, search, href } = new URL(text);
  if (username || password)
    return { code: 'invalid_url', detail: 'must not contain credentials; send them in `headers`' };
  if (search || href.includes('#') || text.includes('?'))
    return { code: 'invalid_url', detail: 'must not have a query or fragment' };
  if (href.length > MAX_URL)
    return { code: 'too_long', detail: `must have at most ${MAX_URL} characters when encoded` };
  return null;
}

/** Normalizes a URL as WHATWG does, without slashes at its end. */
const toBaseUrl = (text: string): string => new URL(text).href.replace(/\/+$/, '');

interface Given {
  slug?: string;
  base_url?: string;
  headers?: Record<string, string | null>;
  models?: CreateModelProviderBody['models'];
}

function findErrors({ slug, base_url: url, headers, models }: Given): FieldError[] {
  const errors: FieldError[] = [];
  if (slug !== undefined && RESERVED_SLUGS.includes(slug))
    errors.push({ pointer: '/slug', code: 'reserved', detail: 'is reserved' });
  const error = url === undefined ? null : checkUrl(url);
  if (error) errors.push({ pointer: '/base_url', ...error });
  if (headers) errors.push(...validateHeaders(headers, RESERVED_HEADERS));
  const names = new Set<string>();
  for (const [at, { id, alias }] of (models ?? []).entries()) {
    const name = alias ?? id;
    const field = alias == null ? 'id' : 'alias';
    if (names.has(name))
      errors.push({
        pointer: `/models/${at}/${field}`,
        code: 'duplicate',
        detail: 'repeats the ID or alias of another model',
      });
    names.add(name);
  }
  return errors;
}

export interface NewProviderInput {
  name: string;
  /** From the caller, or derived from the name. */
  slug: string;
  isSlugGiven: boolean;
  baseUrl: string;
}

/** @throws Problem invalid_request with all errors */
export function readNewProvider(body: CreateModelProviderBody): NewProviderInput {
  const preset = PRESETS[body.kind];
  const name = body.name ?? preset.name;
  const errors = findErrors(body);
  const url = body.base_url ?? preset.baseUrl;
  if (url === null)
    errors.push({ pointer: '/base_url', code: 'required', detail: 'is required for this kind' });
  if (errors.length) throw invalid(errors);
  const derived = getSlug(name).slice(0, SLUG_MAX);
  return {
    name,
    slug: body.slug ?? (RESERVED_SLUGS.includes(derived) ? `${derived}-1` : derived),
    isSlugGiven: body.slug !== undefined,
    baseUrl: toBaseUrl(url!),
  };
}

/** @returns the new base URL, if the body has one. @throws Problem invalid_request with all errors */
export function readProviderChanges(body: UpdateModelProviderBody): { baseUrl: string | undefined } {
  const errors = findErrors(body);
  if (errors.length) throw invalid(errors);
  return { baseUrl: body.base_url === undefined ? undefined : toBaseUrl(body.base_url) };
}

/** Returns slugs to suggest, nicest first. */
export const similarSlugs = (slug: string): string[] =>
  alternativesTo(slug.slice(0, SLUG_MAX - 6)).map((similar) => similar.slice(0, SLUG_MAX));

export function slugTaken(slug: string, free: string | undefined): Problem {
  const offer = free === undefined ? '' : ` "${free}" is free.`;
  return new Problem('slug_taken', `Another model provider has the slug "${slug}".${offer}`, {
    errors: [
      {
        pointer: '/slug',
        code: 'slug_taken',
        detail: free === undefined ? 'is taken' : `is taken; ${free} is free`,
        ...(free === undefined ? {} : { suggestion: free }),
      },
    ],
  });
}
