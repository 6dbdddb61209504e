/** Common parts of requests to a model provider: URL, headers, and error codes. */
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import {
  type EgressCode,
  type EgressError,
  toEgressError,
} from '../../../platform/addresses/egress-error.ts';
import { UpstreamError, type UpstreamErrorCode } from '../contract/upstream.ts';
import { PRESETS, type ProviderKind } from './provider-kinds.ts';
import { openProviderSecrets, type ProviderSecrets } from './provider-secrets.ts';
import type { ProviderError } from './provider.schema.ts';

/** Columns of a provider that requests need. */
export interface ReachableProvider {
  workspace_id: string;
  id: string;
  kind: ProviderKind;
  base_url: string;
  secrets_sealed: string | null;
}

const ALWAYS = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'Fairlead' };

function toHeaders(own: Record<string, string>, { headers }: ProviderSecrets): Record<string, string> {
  const merged: Record<string, string> = { ...ALWAYS, ...own };
  for (const [name, value] of Object.entries(headers)) merged[name.toLowerCase()] = value;
  return merged;
}

/** Returns the headers of a call. They contain secrets in clear: don't keep them. */
export function getCallHeaders(box: SecretBox, provider: ReachableProvider): Record<string, string> {
  const secrets = openProviderSecrets(box, provider);
  const key = secrets.api_key;
  return toHeaders(key === null ? {} : { authorization: `Bearer ${key}` }, secrets);
}

/** Returns the request of the model list. Its headers contain secrets in clear: don't keep them. */
export function getListRequest(
  box: SecretBox,
  provider: ReachableProvider,
): { url: string; headers: Record<string, string> } {
  const secrets = openProviderSecrets(box, provider);
  const key = secrets.api_key;
  const { query = '', keyHeader, headers = {} } = PRESETS[provider.kind].list ?? {};
  const auth =
    key === null ? {} : keyHeader === undefined ? { authorization: `Bearer ${key}` } : { [keyHeader]: key };
  return { url: `${provider.base_url}/models${query}`, headers: toHeaders({ ...headers, ...auth }, secrets) };
}

const CODES: Partial<Record<EgressCode, UpstreamErrorCode>> = {
  address_not_allowed: 'address_not_allowed',
  dns_failed: 'refused',
  connection_refused: 'refused',
  unreachable: 'refused',
  tls_failed: 'refused',
  timeout: 'timeout',
};

/** Returns the error that callers see. @param aborted whether the caller ended the request */
export function toUpstreamError(error: unknown, aborted: boolean): UpstreamError {
  if (error instanceof UpstreamError) return error;
  if (aborted) return new UpstreamError('aborted', 'The call was aborted.', { cause: error });
  const { code, detail }: EgressError = toEgressError(error);
  return new UpstreamError(CODES[code] ?? 'broken', detail, { cause: error });
}

/** Describes a failed request, to be stored with its provider. Null if it says nothing about the provider. */
export function describeFailure(failure: UpstreamError | { status: number }): ProviderError | null {
  if (failure instanceof UpstreamError)
    return failure.code === 'aborted' ? null : { code: failure.code, detail: failure.message };
  const { status } = failure;
  if (status === 401 || status === 403)
    return { code: 'unauthorized', detail: `The provider rejected the credentials (${status}).` };
  if (status >= 500) return { code: 'error_response', detail: `The provider responded with ${status}.` };
  return null;
}
