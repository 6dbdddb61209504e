/**
 * One visit of a link that exists: whether it may be followed, by whom, to where; recorded before it is answered.
 *
 * Archived, expired and used-up links come first, then the password, then who asks. Only what is sent on is a click.
 * Links with a password or a limit show their target to nobody who has not passed: not to HEAD, bots or previews.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClickJournal } from '../clicks/click-record.ts';
import { languageOf } from '../visitor/language.ts';
import { referrerOf } from '../visitor/referrer.ts';
import { type Answers, NOTICES, sendNothing, sendRedirect } from './answer.ts';
import type { Budgets } from './budgets.ts';
import type { Callers } from './caller.ts';
import type { Counts } from './counts.ts';
import type { Entry, HostEntry, Target } from './entry.ts';
import { cardPage, previewPage } from './link-pages.ts';
import { utmOf, withQuery } from './query.ts';
import { chooseTarget } from './targeting.ts';
import type { Visitor } from './visitor.ts';
import { currentMs } from '../../../platform/time/clock.ts';

export interface Visit {
  request: IncomingMessage;
  response: ServerResponse;
  entry: Entry;
  /** Null: the default domain. */
  host: HostEntry | null;
  /** `/slug` as it was asked for, without `+`. */
  path: string;
  /** Without `?`. */
  query: string;
  /** Whether `+` stood behind the slug. */
  isPreview: boolean;
}

export interface VisitDeps {
  journal: ClickJournal;
  budgets: Budgets;
  visitorOf: (request: IncomingMessage, at: number) => Visitor;
  callers: Pick<Callers, 'schemeOf'>;
  answers: Answers;
  counts: Counts;
  baseUrl: string;
  isAway: () => boolean;
  /** Password of a link: @returns whether the visit may go on; otherwise it is answered. */
  unlock: (visit: Visit, isHttps: boolean) => boolean;
  /** Tells of an error that nobody expected, and answers. */
  fail: (visit: Pick<Visit, 'request' | 'response'>, error: unknown) => void;
  log: { error(details: object, message: string): void };
}

const FAULTS_TOLD_EVERY_MS = 10_000;

/** @returns follows a visit; never throws, always answers */
export function createFollow(deps: VisitDeps): (visit: Visit) => void {
  const { journal, budgets, visitorOf, callers, answers, counts, baseUrl, unlock, log } = deps;
  const { hostname } = new URL(baseUrl);
  const isBaseHttps = baseUrl.startsWith('https:');
  const toldAt = new Map<string, number>();
  /** Visitors must not be able to fill the log. */
  const tellFault = (err: unknown, fault: string): void => {
    const now = performance.now();
    if (now - (toldAt.get(fault) ?? Number.NEGATIVE_INFINITY) < FAULTS_TOLD_EVERY_MS) return;
    toldAt.set(fault, now);
    log.error({ err }, fault);
  };

  const unavailable = ({ request, response }: Visit): void => {
    counts.unavailable++;
    answers.notice(request, response, NOTICES.unavailable);
  };

  const record = (visit: Visit, visitor: Visitor, at: number, target: Target, answer: () => void): void => {
    const { entry, query, host, request } = visit;
    const own = query === '' ? null : utmOf(query);
    const { referer } = request.headers;
    journal.append(
      {
        ids: entry.ids,
        at,
        visitor: visitor.hash,
        isBot: visitor.agent.isBot,
        country: visitor.location.country,
        city: visitor.location.city,
        userAgent: visitor.userAgent,
        referrer:
          referer === undefined
            ? null
            : referrerOf(referer, (name) => name === hostname || name === host?.host),
        language: languageOf(request.headers['accept-language']),
        utm: own === null ? target.utm : own.map((value, nth) => value ?? target.utm[nth]!),
        address: entry.keepsAddresses ? visitor.address : null,
      },
      (error) => {
        if (error === null) return answer();
        tellFault(error, 'a click could not be recorded, so its visitor was not sent on');
        return unavailable(visit);
      },
    );
  };

  const gone = ({ request, response, entry, isPreview }: Visit): void => {
    counts.gone++;
    const { expiredUrl, archived } = entry.route;
    if (expiredUrl === null || archived || isPreview) answers.notice(request, response, NOTICES.gone);
    else sendRedirect(response, 302, expiredUrl);
  };

  const isHttps = ({ request }: Visit): boolean => {
    const scheme = callers.schemeOf(request);
    return scheme === null ? isBaseHttps : scheme === 'https';
  };
  const shortUrl = (visit: Visit): string =>
    visit.host === null
      ? baseUrl + visit.path
      : `${isHttps(visit) ? 'https' : 'http'}://${visit.host.host}${visit.path}`;

  const showPreview = (visit: Visit): void => {
    const { passwordHash, maxClicks, card } = visit.entry.route;
    const target = passwordHash !== null || maxClicks !== null ? null : visit.entry.route.url;
    const way = visit.query === '' ? visit.path : `${visit.path}?${visit.query}`;
    answers.page(
      visit.request,
      visit.response,
      previewPage(way, target, passwordHash === null ? card : null),
      null,
    );
  };

  const sendOn = (visit: Visit, visitor: Visitor, at: number, target: Target): void => {
    const { response, entry } = visit;
    record(visit, visitor, at, target, () => {
      counts.redirect++;
      sendRedirect(response, entry.route.status, target.location);
    });
  };

  const spend = async (visit: Visit, visitor: Visitor, at: number, target: Target): Promise<void> => {
    const { entry } = visit;
    if (deps.isAway()) return unavailable(visit);
    let granted: boolean;
    try {
      granted = await budgets.take(entry.workspaceId, entry.linkId);
    } catch (error) {
      tellFault(error, 'the budget of a link could not be asked');
      return unavailable(visit);
    }
    if (granted) return sendOn(visit, visitor, at, target);
    entry.isExhausted = true;
    return gone(visit);
  };

  const toBot = (visit: Visit, visitor: Visitor, at: number): void => {
    const { entry, response } = visit;
    const { card } = entry.route;
    record(visit, visitor, at, entry.main, () => {
      if (visitor.agent.isPreview && card !== null) {
        counts.card++;
        answers.page(visit.request, response, cardPage(shortUrl(visit), card), null);
      } else {
        counts.withheld++;
        showPreview(visit);
      }
    });
  };

  const withConditions = (visit: Visit, at: number): void => {
    const { request, response, entry } = visit;
    const { route } = entry;
    const isHead = request.method === 'HEAD';
    if (visit.isPreview) {
      counts.preview++;
      return showPreview(visit);
    }
    if (route.passwordHash !== null && !unlock(visit, isHttps(visit))) return undefined;
    const isCapped = route.maxClicks !== null;
    if (isHead && isCapped) {
      counts.head++;
      return sendNothing(response);
    }
    const visitor = visitorOf(request, at);
    const { isBot, isPreview } = visitor.agent;
    if (!isHead && isBot && (isCapped || (isPreview && route.card !== null)))
      return toBot(visit, visitor, at);
    const chosen =
      route.targeting.length === 0
        ? entry.main
        : chooseTarget(entry, {
            country: visitor.location.country,
            device: visitor.agent.device,
            os: visitor.agent.os,
            language: languageOf(request.headers['accept-language']),
          });
    const target = route.forwardQuery
      ? { utm: chosen.utm, location: withQuery(chosen.location, visit.query) }
      : chosen;
    if (isHead) {
      counts.head++;
      return sendRedirect(response, route.status, target.location);
    }
    if (isCapped)
      return void spend(visit, visitor, at, target).catch((error: unknown) => deps.fail(visit, error));
    return sendOn(visit, visitor, at, target);
  };

  return (visit) => {
    const { entry, request, response } = visit;
    try {
      const at = currentMs();
      const { method } = request;
      if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') {
        counts.refused++;
        answers.notice(request, response, NOTICES.method);
      } else if (entry.route.archived || at >= entry.expiresAt || entry.isExhausted) gone(visit);
      else if (entry.isPlain && method !== 'HEAD' && !visit.isPreview)
        sendOn(visit, visitorOf(request, at), at, entry.main);
      else withConditions(visit, at);
    } catch (error) {
      deps.fail(visit, error);
    }
  };
}
