/** Slack verifies a new URL with a challenge before it sends events. */

const MAX_LENGTH = 1_000;

/**
 * Returns the challenge to echo.
 * @param payload of a request signed by Slack
 * @returns null if it is not a challenge
 */
export function getChallenge(payload: unknown): string | null {
  if (payload === null || typeof payload !== 'object') return null;
  const { type, challenge } = payload as Record<string, unknown>;
  return type === 'url_verification' && typeof challenge === 'string' && challenge.length <= MAX_LENGTH
    ? challenge
    : null;
}
