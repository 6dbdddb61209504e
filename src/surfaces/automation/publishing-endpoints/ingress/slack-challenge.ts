/** Slack asks a new address to give back a word, before it sends events there. */

const LONGEST = 1_000;

/** @param payload of a request that Slack signed. @returns the word that it waits for, or null where it asks for none */
export function challengeOf(payload: unknown): string | null {
  if (payload === null || typeof payload !== 'object') return null;
  const { type, challenge } = payload as Record<string, unknown>;
  return type === 'url_verification' && typeof challenge === 'string' && challenge.length <= LONGEST
    ? challenge
    : null;
}
