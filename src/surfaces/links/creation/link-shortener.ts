/**
 * Shortens the URLs of messages; create-app.ts passes it to messaging as its `LinkShortener`. Links are created on the default
 * domain, in the message's transaction, and store the message and contact that they were created for.
 */
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { type LinkRequest, createLinks, planLinks } from './link-create.ts';
import type { LinkDeps } from './link-deps.ts';
import { buildShortUrl } from '../records/link-present.ts';
import { generateSlug } from '../addresses/slug.ts';

/** URLs of one message. IDs are database IDs. */
interface ToShorten {
  messageId: string;
  contactId: string | null;
  /** Public ID of the sender. */
  actorId: string;
  urls: readonly string[];
  traceparent?: string | null | undefined;
}

/** URLs that are not shortened: already short, with a password, or not allowed as a destination. */
const UNSHORTENED: ReadonlySet<string> = new Set(['invalid_request', 'unprocessable']);

/** Creates the shortener. `shorten` @throws Problem if no links can be created at all, as with quota_exceeded */
export const createLinkShortener = (deps: LinkDeps) => ({
  /** @returns URL → length of its short URL, without URLs that are not shortened */
  async measure(
    unit: Unit,
    workspaceId: string,
    urls: readonly string[],
  ): Promise<ReadonlyMap<string, number>> {
    const requests = urls.map((url): LinkRequest => ({ actorId: null, body: { url } }));
    const plans = await planLinks(unit, deps, workspaceId, requests, []);
    const { length } = buildShortUrl(deps.baseUrl, '', generateSlug());
    return new Map(plans.map(({ link }) => [link.values.url, length]));
  },
  /** @returns URL → short URL for each message, in the same order, without URLs that are not shortened */
  async shorten(
    unit: Unit,
    workspaceId: string,
    messages: readonly ToShorten[],
  ): Promise<ReadonlyMap<string, string>[]> {
    const requests = messages.flatMap(({ urls, ...about }) =>
      urls.map((url): LinkRequest => ({ ...about, body: { url } })),
    );
    const outcomes = (await createLinks(unit, deps, workspaceId, requests)).values();
    return messages.map(({ urls }) => {
      const short = new Map<string, string>();
      for (const url of urls) {
        const outcome = outcomes.next().value!;
        if (!(outcome instanceof Problem)) short.set(url, outcome.link.short_url);
        else if (!UNSHORTENED.has(outcome.code)) throw outcome;
      }
      return short;
    });
  },
});
