/** Converts an endpoint row to the object of the API and the event log: without secrets and secret URLs. */
import { publicId } from '../../../core/vocabulary/ids.ts';
import type { AuthObject } from './authentication/endpoint-auth.schema.ts';
import { inUrl, publishUrl } from './authentication/endpoint-token.ts';
import { type EndpointRow, getRate } from './endpoint.store.ts';
import type { PublishingEndpointObject } from './publishing-endpoint.schema.ts';

function presentAuth(row: EndpointRow, now: Date): AuthObject {
  const isSigned = row.auth_type === 'signature';
  const until = row.previous_secret_until;
  return {
    type: row.auth_type,
    scheme: row.scheme,
    hmac: row.scheme_options.hmac ?? null,
    tolerance_seconds: isSigned ? row.scheme_options.tolerance_seconds! : null,
    previous_expires_at: until !== null && until > now ? until.toISOString() : null,
    url_last4: row.token_last4,
  };
}

function getUrl(baseUrl: string, type: AuthObject['type'], id: string): string | null {
  if (type === 'secret_url') return null;
  return type === 'bearer' ? publishUrl(baseUrl, id) : inUrl(baseUrl, id);
}

/**
 * Converts a row to the API object.
 * @param baseUrl without trailing slash
 */
export function presentEndpoint(baseUrl: string, row: EndpointRow, now: Date): PublishingEndpointObject {
  const id = publicId('publishing_endpoint', row.id);
  return {
    id,
    object: 'publishing_endpoint',
    name: row.name,
    url: getUrl(baseUrl, row.auth_type, id),
    auth: presentAuth(row, now),
    ...row.definition,
    success_status: row.success_status,
    rate_limit: getRate(row),
    enabled: row.enabled,
    revision: row.revision,
    received: row.received,
    last_received_at: row.last_received_at?.toISOString() ?? null,
    invalid_requests: row.invalid,
    last_invalid_request: row.last_invalid_at && {
      code: row.last_invalid_code!,
      detail: row.last_invalid_detail!,
      created_at: row.last_invalid_at.toISOString(),
    },
    metadata: row.metadata,
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
