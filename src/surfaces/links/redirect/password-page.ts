/** Handles visits of password-protected links: the form, password attempts, and the unlock cookie. */
import { Problem } from '../../../platform/http/problem.ts';
import { type Responder, NOTICES, sendRedirect, tooManyAttempts } from './answer.ts';
import type { OutcomeCounts } from './counts.ts';
import { readPassword } from './form.ts';
import { passwordPage } from './link-pages.ts';
import type { Unlocking } from './unlocking.ts';
import type { Visit, VisitDeps } from './visit.ts';
import { currentMs } from '../../../platform/time/clock.ts';

const WRONG_PASSWORD = { ...NOTICES.password, text: 'The password is incorrect.' };

export function createUnlock(deps: {
  unlocking: Unlocking;
  answers: Responder;
  counts: OutcomeCounts;
  getAddress: (request: Visit['request']) => string;
  fail: VisitDeps['fail'];
}): VisitDeps['unlock'] {
  const { unlocking, answers, counts, getAddress, fail } = deps;

  const handleAttempt = async (visit: Visit, passwordHash: string, isHttps: boolean): Promise<void> => {
    const { request, response, entry, path } = visit;
    const link = { linkId: entry.linkId, passwordHash };
    const address = getAddress(request);
    const seconds = unlocking.getRetryAfter(entry.linkId, address);
    if (seconds > 0) return answers.notice(request, response, tooManyAttempts(seconds));
    const password = await readPassword(request);
    if (password === null) return answers.notice(request, response, NOTICES.tooLarge);
    const result = await unlocking.attempt(link, password, address);
    if ('seconds' in result) return answers.notice(request, response, tooManyAttempts(result.seconds));
    if (!result.isCorrect)
      return answers.page(request, response, passwordPage(WRONG_PASSWORD.text), WRONG_PASSWORD, 403);
    const location = visit.query === '' ? path : `${path}?${visit.query}`;
    return sendRedirect(response, 303, location, unlocking.buildCookie(link, currentMs(), path, isHttps));
  };

  return (visit, isHttps) => {
    const { request, response, entry } = visit;
    const { passwordHash } = entry.route;
    if (passwordHash === null) return true;
    if (request.method === 'POST') {
      counts.password++;
      handleAttempt(visit, passwordHash, isHttps).catch((error: unknown) => {
        if (error instanceof Problem && error.code === 'unavailable')
          answers.notice(request, response, NOTICES.unavailable);
        else if (!request.complete) response.destroy(); // the visitor left
        else fail(visit, error);
      });
      return false;
    }
    const { linkId } = entry;
    if (unlocking.isUnlocked({ linkId, passwordHash }, request.headers.cookie, currentMs())) return true;
    counts.password++;
    answers.page(request, response, passwordPage(null), NOTICES.password);
    return false;
  };
}
