/**
 * Calls again while the answer is 503: at once, many callers wait for one lock, and on a busy machine some of them for
 * longer than a request may.
 */
export async function notBusy<Answer extends { status: number }>(
  call: () => Promise<Answer>,
): Promise<Answer> {
  for (;;) {
    const answer = await call();
    if (answer.status !== 503) return answer;
  }
}
