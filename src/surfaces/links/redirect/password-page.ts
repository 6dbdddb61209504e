/** A visit of a link with a password: the form, the guess, and the cookie of who knew it. */
import { Problem } from '../../../platform/http/problem.ts';
import { type Answers, NOTICES, sendRedirect, tooManyGuesses } from './answer.ts';
import type { Counts } from './counts.ts';
import { readPassword } from './form.ts';
import { passwordPage } from './link-pages.ts';
import type { Unlocking } from './unlocking.ts';
import type { Visit, VisitDeps } from './visit.ts';
import { currentMs } from '../../../platform/time/clock.ts';

const WRONG = { ...NOTICES.password, text: 'The password is not right.' };

export function createUnlock(deps: {
  unlocking: Unlocking;
  answers: Answers;
  counts: Counts;
  addressOf: (request: Visit['request']) => string;
  fail: VisitDeps['fail'];
}): VisitDeps['unlock'] {
  const { unlocking, answers, counts, addressOf, fail } = deps;

  const guess = async (visit: Visit, passwordHash: string, isHttps: boolean): Promise<void> => {
    const { request, response, entry, path } = visit;
    const link = { linkId: entry.linkId, passwordHash };
    const address = addressOf(request);
    const seconds = unlocking.waitOf(entry.linkId, address);
    if (seconds > 0) return answers.notice(request, response, tooManyGuesses(seconds));
    const password = await readPassword(request);
    if (password === null) return answers.notice(request, response, NOTICES.tooLarge);
    const guessed = await unlocking.guess(link, password, address);
    if ('seconds' in guessed) return answers.notice(request, response, tooManyGuesses(guessed.seconds));
    if (!guessed.isRight) return answers.page(request, response, passwordPage(WRONG.text), WRONG, 403);
    const way = visit.query === '' ? path : `${path}?${visit.query}`;
    return sendRedirect(response, 303, way, unlocking.cookieOf(link, currentMs(), path, isHttps));
  };

  return (visit, isHttps) => {
    const { request, response, entry } = visit;
    const { passwordHash } = entry.route;
    if (passwordHash === null) return true;
    if (request.method === 'POST') {
      counts.password++;
      guess(visit, passwordHash, isHttps).catch((error: unknown) => {
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
