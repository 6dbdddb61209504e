/** Calls of the Graph API for one phone number. */
import type { DriverContext } from '../contract/driver.ts';
import type { Json } from '../contract/json.ts';
import { type ApiDefaults, createApiClient } from '../http-api/client.ts';
import { classify } from './errors.ts';
import { type JsonObject, readObject } from './fields.ts';
import { readCredentials, readSettings } from './settings.ts';

export const GRAPH_DEFAULTS: ApiDefaults = {
  title: 'WhatsApp',
  timeoutMs: 30_000,
  maxAnswerBytes: 4 * 1024 * 1024,
  classify,
};
/** Meta's description of the API asks for a version with three numbers. */
const HEADERS = { 'user-agent': 'Fairlead/1.0.0' };

export interface Graph {
  readonly phoneNumberId: string;
  readonly businessAccountId: string;
  /** Headers of every request, including those for files. */
  readonly headers: Readonly<Record<string, string>>;
  /** Returns the URL of a node or edge. Each part of the path is encoded. */
  url(path: readonly string[], query?: Readonly<Record<string, string>>): string;
  /** @throws DriverError */
  get(
    path: readonly string[],
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<JsonObject>;
  /**
   * @param body null for none
   * @param isSafe whether repeating it has no further effect
   * @throws DriverError
   */
  send(
    method: 'POST' | 'DELETE',
    path: readonly string[],
    body: Json,
    options: { isSafe: boolean; signal: AbortSignal },
  ): Promise<JsonObject>;
}

export function createGraph({
  egress,
  settings,
  credentials,
}: Pick<DriverContext, 'egress' | 'settings' | 'credentials'>): Graph {
  const { apiRoot, phoneNumberId, businessAccountId } = readSettings(settings);
  const { accessToken } = readCredentials(credentials);
  const headers = { ...HEADERS, authorization: `Bearer ${accessToken}` };
  const client = createApiClient(egress, GRAPH_DEFAULTS);
  const url: Graph['url'] = (path, query = {}) => {
    const search = new URLSearchParams(query).toString();
    return `${apiRoot}/${path.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`;
  };
  const json = { ...headers, 'content-type': 'application/json' };
  return {
    phoneNumberId,
    businessAccountId,
    headers,
    url,
    async get(path, query, signal) {
      const answer = await client.call({ method: 'GET', url: url(path, query), headers: json, signal });
      return readObject(answer.json) ?? {};
    },
    async send(method, path, body, { isSafe, signal }) {
      const answer = await client.call({
        method,
        url: url(path),
        headers: json,
        ...(body === null ? {} : { body: JSON.stringify(body) }),
        isSafe,
        signal,
      });
      return readObject(answer.json) ?? {};
    },
  };
}
