/** Single model calls. */
import { readQuery } from './read.ts';
import { get } from './call.ts';
import { listQuery } from './list.ts';
import type { ApiRequest, ModelCall } from './types.ts';

/** How often the newest calls are read again while they are looked at. */
const REFETCH_MS = 15_000;

export const modelCallsQuery = (workspaceId: string) => ({
  ...listQuery(['ws', workspaceId, 'model-calls'], workspaceId, get('/model-calls')),
  refetchInterval: REFETCH_MS,
});

/** One call, with its prompt and response where they are stored. */
export const modelCallQuery = (workspaceId: string, id: string) =>
  readQuery(['ws', workspaceId, 'model-call', id], workspaceId, get('/model-calls/{id}', { path: { id } }));

/** An API request and its model call have the same ID behind their prefixes. */
const suffix = (id: string): string => id.slice(id.indexOf('_'));
export const toRequestId = ({ id }: ModelCall): string => `req${suffix(id)}`;
export const toCallId = ({ id }: ApiRequest): string => `mcl${suffix(id)}`;

const REQUESTS_KEPT_MS = 7 * 24 * 3_600_000;

/** Whether the request log may have the request of a call. Calls of rules and of provider tests have no request. */
export const hasRequest = ({ actor, test, created_at: at }: ModelCall, now: number): boolean =>
  !test && /^(key|usr)_/.test(actor) && Date.parse(at) > now - REQUESTS_KEPT_MS;

const OPERATIONS = new Set(['chat.completions', 'responses.create', 'embeddings.create']);

/** Whether a request may have become a model call: one that was refused before has none. */
export const hasCall = ({ operation, error_code: error }: ApiRequest): boolean =>
  OPERATIONS.has(operation) && (error === null || error.startsWith('model_provider'));
