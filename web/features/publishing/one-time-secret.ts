import type { AnsweredEndpoint } from '../../api/types.ts';

/** Returns the secret URL or secret of an API response, which is shown only once; null if there is none. */
export const getOneTimeSecret = ({ auth, url, secret }: AnsweredEndpoint): string | null =>
  auth.type === 'secret_url' ? url : secret;
