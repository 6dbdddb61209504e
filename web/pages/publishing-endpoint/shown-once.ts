import type { AnsweredEndpoint } from '../../api/types.ts';

/** What of an answer nobody can read again: a secret address, or a secret; null where there is nothing. */
export const shownOnceOf = ({ auth, url, secret }: AnsweredEndpoint): string | null =>
  auth.type === 'secret_url' ? url : secret;
