/**
 * Handles a visit of an existing link: decides whether it is redirected and where to, and records the click before the
 * response.
 *
 * Archived, expired and exhausted links are checked first, then the password, then the type of visitor. Only visits
 * that pass are clicks. The destination of links with a password or a limit is not shown before that: not to HEAD
 * requests, bots or previews.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../../../platform/logging/log.ts';
import type { ClickJournal } from '../clicks/click-record.ts';
import { parseLanguage } from '../visitor/language.ts';
import { parseReferrer } from '../visitor/referrer.ts';
import { type Responder, NOTICES, sendNothing, sendRedirect } from './answer.ts';
import type { Budgets } from './budgets.ts';
import type { Callers } from './caller.ts';
import type { OutcomeCounts } from './counts.ts';
import type { RouteEntry, HostEntry, Target } from './entry.ts';
import { cardPage, previewPage } from './link-pages.ts';
import { parseUtm, withQuery } from './query.ts';
import { chooseTarget } from './targeting.ts';
import type { Visitor } from './visitor.ts';
import { currentMs } from '../../../platform/time/clock.ts';

export interface Visit {
  request: IncomingMessage;
  response: ServerResponse;
  entry: RouteEntry;
  /** Null for the default domain. */
  host: HostEntry | null;
  /** `/slug` as requested, without `+`. */
  path: string;
  /** Query without `?`. */
  query: string;
  /** Whether the slug was followed by `+`. */
  isPreview: boolean;
}

export interface VisitDeps {
  journal: ClickJournal;
  budgets: Budgets;
  getVisitor: (request: IncomingMessage, at: number) => Visitor;
  callers: Pick<Callers, 'getScheme'>;
  answers: Responder;
  counts: OutcomeCounts;
  baseUrl: string;
  isAway: () => boolean;
  /** Checks the link's password. @returns whether the visit may proceed; if not, the response has been sent */
  unlock: (visit: Visit, isHttps: boolean) => boolean;
  /** Logs an unexpected error and sends the response. */
  fail: (visit: Pick<Visit, 'request' | 'response'>, error: unknown) => void;
  log: Pick<Log, 'error'>;
}

const LOG_INTERVAL_MS = 10_000;

/** Creates the visit handler, which never throws and always sends a response. */
export function createFollow(deps: VisitDeps): (visit: Visit) => void {
  const { journal, budgets, getVisitor, callers, answers, counts, baseUrl, unlock, log } = deps;
  const { hostname } = new URL(baseUrl);
  const isBaseHttps = baseUrl.startsWith('https:');
  const loggedAt = new Map<string, number>();
  /** Logs an error, rate limited so that visitors cannot flood the log. */
  const logError = (err: unknown, message: string): void => {
    const now = performance.now();
    if (now - (loggedAt.get(message) ?? Number.NEGATIVE_INFINITY) < LOG_INTERVAL_MS) return;
    loggedAt.set(message, now);
    log.error({ err }, message);
  };

  const sendUnavailable = ({ request, response }: Visit): void => {
    counts.unavailable++;
    answers.notice(request, response, NOTICES.unavailable);
  };

  const record = (visit: Visit, visitor: Visitor, at: number, target: Target, answer: () => void): void => {
    const { entry, query, host, request } = visit;
    const own = query === '' ? null : parseUtm(query);
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
            : parseReferrer(referer, (name) => name === hostname || name === host?.host),
        language: parseLanguage(request.headers['accept-language']),
        utm: own === null ? target.utm : own.map((value, nth) => value ?? target.utm[nth]!),
        address: entry.keepsAddresses ? visitor.address : null,
        destinationUrl: target.destinationUrl,
      },
      (error) => {
        if (error === null) return answer();
        logError(error, 'redirect: could not record click, visitor not redirected');
        return sendUnavailable(visit);
      },
    );
  };

  const sendGone = ({ request, response, entry, isPreview }: Visit): void => {
    counts.gone++;
    const { expiredUrl, archived } = entry.route;
    if (expiredUrl === null || archived || isPreview) answers.notice(request, response, NOTICES.gone);
    else sendRedirect(response, 302, expiredUrl);
  };

  const isHttps = ({ request }: Visit): boolean => {
    const scheme = callers.getScheme(request);
    return scheme === null ? isBaseHttps : scheme === 'https';
  };
  const shortUrl = (visit: Visit): string =>
    visit.host === null
      ? baseUrl + visit.path
      : `${isHttps(visit) ? 'https' : 'http'}://${visit.host.host}${visit.path}`;

  const showPreview = (visit: Visit): void => {
    const { passwordHash, maxClicks, card } = visit.entry.route;
    const target = passwordHash !== null || maxClicks !== null ? null : visit.entry.route.url;
    const location = visit.query === '' ? visit.path : `${visit.path}?${visit.query}`;
    answers.page(
      visit.request,
      visit.response,
      previewPage(location, target, passwordHash === null ? card : null),
      null,
    );
  };

  const redirect = (visit: Visit, visitor: Visitor, at: number, target: Target): void => {
    const { response, entry } = visit;
    record(visit, visitor, at, target, () => {
      counts.redirect++;
      sendRedirect(response, entry.route.status, target.location);
    });
  };

  const redirectWithinBudget = async (
    visit: Visit,
    visitor: Visitor,
    at: number,
    target: Target,
  ): Promise<void> => {
    const { entry } = visit;
    if (deps.isAway()) return sendUnavailable(visit);
    let granted: boolean;
    try {
      granted = await budgets.take(entry.workspaceId, entry.linkId);
    } catch (error) {
      logError(error, 'redirect: could not read click budget');
      return sendUnavailable(visit);
    }
    if (granted) return redirect(visit, visitor, at, target);
    entry.isExhausted = true;
    return sendGone(visit);
  };

  const answerBot = (visit: Visit, visitor: Visitor, at: number): void => {
    const { entry, response } = visit;
    const { card } = entry.route;
    record(visit, visitor, at, { ...entry.main, destinationUrl: null }, () => {
      if (visitor.agent.isPreview && card !== null) {
        counts.card++;
        answers.page(visit.request, response, cardPage(shortUrl(visit), card), null);
      } else {
        counts.withheld++;
        showPreview(visit);
      }
    });
  };

  const handleConditions = (visit: Visit, at: number): void => {
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
    const visitor = getVisitor(request, at);
    const { isBot, isPreview } = visitor.agent;
    if (!isHead && isBot && (isCapped || (isPreview && route.card !== null)))
      return answerBot(visit, visitor, at);
    const chosen =
      route.targeting.length === 0
        ? entry.main
        : chooseTarget(entry, {
            country: visitor.location.country,
            device: visitor.agent.device,
            os: visitor.agent.os,
            language: parseLanguage(request.headers['accept-language']),
          });
    const target = route.forwardQuery
      ? { ...chosen, location: withQuery(chosen.location, visit.query) }
      : chosen;
    if (isHead) {
      counts.head++;
      return sendRedirect(response, route.status, target.location);
    }
    if (isCapped)
      return void redirectWithinBudget(visit, visitor, at, target).catch((error: unknown) =>
        deps.fail(visit, error),
      );
    return redirect(visit, visitor, at, target);
  };

  return (visit) => {
    const { entry, request, response } = visit;
    try {
      const at = currentMs();
      const { method } = request;
      if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') {
        counts.refused++;
        answers.notice(request, response, NOTICES.method);
      } else if (entry.route.archived || at >= entry.expiresAt || entry.isExhausted) sendGone(visit);
      else if (entry.isPlain && method !== 'HEAD' && !visit.isPreview)
        redirect(visit, getVisitor(request, at), at, entry.main);
      else handleConditions(visit, at);
    } catch (error) {
      deps.fail(visit, error);
    }
  };
}
