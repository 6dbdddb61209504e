/**
 * Short links for the URLs of messages: what app.ts hands to messaging as its `LinkShortener`. Links are made like any
 * others, on the default domain, in the transaction of their message, and know what they were made for.
 */
import type { Unit } from '../../core/unit-of-work.ts';
import { Problem } from '../../platform/http/problem.ts';
import { type LinkRequest, createLinks } from './link-create.ts';
import type { LinkDeps } from './link-deps.ts';

/** What of one message is to be shortened. Ids as the database has them. */
interface ToShorten {
  messageId: string;
  contactId: string | null;
  /** Public id of who sends. */
  actorId: string;
  urls: readonly string[];
}

/** Such a URL stays as it is: one that leads here already, that has a password in it, that no link may lead to. */
const STAYS: ReadonlySet<string> = new Set(['invalid_request', 'unprocessable']);

/** @throws Problem where links can't be made at all, as quota_exceeded */
export const createLinkShortener = (deps: LinkDeps) => ({
  /** @returns for each message, URL → short URL; those that must stay as they are are left out */
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
        else if (!STAYS.has(outcome.code)) throw outcome;
      }
      return short;
    });
  },
});
