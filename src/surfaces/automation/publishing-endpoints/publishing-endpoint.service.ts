/**
 * Creates and reads publishing endpoints; updates are in endpoint-update.service.ts. Secrets and secret URLs exist in
 * plaintext only in the response that creates them.
 * | Lock order: the endpoint row before everything else of the endpoint.
 */
import type { WorkspaceActor } from '../../../core/auth/actor.ts';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import type { Unit, ReadUnit } from '../../../core/unit/unit-of-work.ts';
import { timeOfUuid } from '../../../platform/db/uuid-time.ts';
import type { EventType } from '../../../core/vocabulary/event-catalog.ts';
import { publicId, toUuid } from '../../../core/vocabulary/ids.ts';
import type { WithVersion } from '../../../platform/http/etag.ts';
import { type List, toList, type Page } from '../../../platform/http/pagination.ts';
import { type FieldError, notFound } from '../../../platform/http/problem.ts';
import { getRateLimit } from '../../../core/api/rate-limit.schema.ts';
import { checkDestinations } from '../destinations/destination-check.ts';
import type { MessagesPort, ModelsPort } from '../ports/ports.ts';
import { getRejection } from '../ports/refusal.ts';
import type { Templates } from '../../../platform/templates/templates.ts';
import { toDefinition, getInstanceIds } from './endpoint-definition.ts';
import { assertForm, assertMayPublish, type AuthRead, type FormDeps, readAuth } from './endpoint-input.ts';
import { presentEndpoint } from './endpoint-present.ts';
import { generateEndpointSecret, sealEndpointSecret } from './authentication/endpoint-secret.ts';
import { generateToken, hashToken, inUrl, getLast4 } from './authentication/endpoint-token.ts';
import * as store from './endpoint.store.ts';
import { insertToken } from './in-token.store.ts';
import type {
  CreatePublishingEndpointBody,
  Definition,
  PublishingEndpointObject,
} from './publishing-endpoint.schema.ts';
import type { Quotas } from '../../../core/workspaces/quota.ts';

/**
 * Cancels pending publications of an endpoint, in the transaction that deletes it.
 * @param endpointId UUID
 */
export type EndpointDeleted = (unit: Unit, workspaceId: string, endpointId: string) => Promise<void>;

export interface PublishingEndpointDeps {
  /** Without trailing slash. */
  baseUrl: string;
  secrets: SecretBox;
  templates: Templates;
  messages: MessagesPort;
  models: Pick<ModelsPort, 'exists'>;
  quotas: Quotas;
  endpointDeleted: EndpointDeleted;
}

/** Values that are shown only once; null if there are none. */
export interface ShownOnce {
  url: string | null;
  secret: string | null;
}

export const withVersion = (
  { baseUrl }: Pick<PublishingEndpointDeps, 'baseUrl'>,
  row: store.EndpointRow,
  now: Date,
): WithVersion<{ endpoint: PublishingEndpointObject }> => ({
  endpoint: presentEndpoint(baseUrl, row, now),
  version: row.version,
});

export const writeEndpointEvent = (
  unit: Unit,
  workspaceId: string,
  type: Extract<EventType, `publishing_endpoint.${string}`>,
  endpoint: PublishingEndpointObject,
  previous?: object,
): Promise<void> =>
  unit.events.write(unit, { workspaceId, type, resourceId: endpoint.id, object: endpoint, previous });

/** @throws Problem not_found */
export async function readEndpoint(
  unit: ReadUnit,
  workspaceId: string,
  id: string,
): Promise<store.EndpointRow> {
  const row = await store.getEndpoint(unit.db, workspaceId, id);
  if (!row) throw notFound('publishing endpoint');
  return row;
}

/** @throws Problem not_found */
export async function lockEndpoint(unit: Unit, workspaceId: string, id: string): Promise<store.EndpointRow> {
  const row = await store.lockEndpoint(unit.db, workspaceId, id);
  if (!row) throw notFound('publishing endpoint');
  return row;
}

/** @throws Problem not_found */
export const getEndpoint = async (
  unit: ReadUnit,
  deps: PublishingEndpointDeps,
  workspaceId: string,
  id: string,
): Promise<WithVersion<{ endpoint: PublishingEndpointObject }>> =>
  withVersion(deps, await readEndpoint(unit, workspaceId, id), unit.clock());

export async function listEndpoints(
  unit: ReadUnit,
  { baseUrl }: PublishingEndpointDeps,
  workspaceId: string,
  page: Page,
  filter: store.EndpointFilter,
): Promise<List<PublishingEndpointObject>> {
  const rows = await store.listEndpoints(unit.db, workspaceId, page, filter);
  const now = unit.clock();
  return toList(
    rows,
    page,
    ({ id }) => id,
    (row) => presentEndpoint(baseUrl, row, now),
  );
}

/** Returns the instances as UUIDs. The form of the definition must be validated. */
export const instanceUuids = (definition: Definition): string[] =>
  getInstanceIds(definition).map((id) => toUuid('instance', id)!);

/**
 * Checks the destinations against the workspace.
 * @throws Problem not_found, unprocessable, unsupported_by_channel, invalid_address with all field errors
 */
export async function assertDestinations(
  unit: Unit,
  { messages }: Pick<PublishingEndpointDeps, 'messages'>,
  workspaceId: string,
  destinations: Definition['destinations'],
): Promise<void> {
  const fieldErrors = await checkDestinations(unit, messages, workspaceId, destinations, '/destinations');
  if (fieldErrors.length) throw getRejection(fieldErrors);
}

interface NewEndpointInput {
  definition: Definition;
  auth: AuthRead;
}

/**
 * Validates a new endpoint. Waits for workers, so it must run before the transaction.
 * @throws Problem invalid_request, insufficient_scope, model_not_found
 */
export async function readNewEndpoint(
  deps: FormDeps,
  actor: WorkspaceActor,
  body: CreatePublishingEndpointBody,
): Promise<NewEndpointInput> {
  const fieldErrors: FieldError[] = [];
  const auth = readAuth(body.auth, fieldErrors);
  const definition = toDefinition(body);
  await assertForm(deps, actor.workspaceId, definition, fieldErrors);
  assertMayPublish(actor, definition);
  return { definition, auth };
}

/**
 * Creates an endpoint.
 * @throws Problem quota_exceeded, not_found, unprocessable, unsupported_by_channel
 */
export async function createEndpoint(
  unit: Unit,
  deps: PublishingEndpointDeps,
  actor: WorkspaceActor,
  body: CreatePublishingEndpointBody,
  { definition, auth }: NewEndpointInput,
): Promise<WithVersion<{ endpoint: PublishingEndpointObject }> & ShownOnce> {
  const { workspaceId } = actor;
  await assertDestinations(unit, deps, workspaceId, definition.destinations);
  await deps.quotas.assert(unit, workspaceId, 'publishing_endpoints');
  const id = unit.newUuid();
  // Lists filter times by ID.
  const now = timeOfUuid(id);
  const { type } = body.auth;
  const made = auth.scheme && body.auth.secret === undefined ? generateEndpointSecret(auth.scheme) : null;
  const secret = body.auth.secret ?? made;
  const token = type === 'secret_url' ? generateToken() : null;
  const rate = getRateLimit(body.rate_limit ?? null);
  await store.insertEndpoint(unit.db, workspaceId, {
    id,
    name: body.name,
    auth_type: type,
    scheme: auth.scheme,
    scheme_options: auth.options,
    secret_sealed:
      secret === null ? null : sealEndpointSecret(deps.secrets, { workspace_id: workspaceId, id }, secret),
    previous_secret_sealed: null,
    previous_secret_until: null,
    token_last4: token && getLast4(token),
    definition,
    instance_ids: instanceUuids(definition),
    success_status: body.success_status ?? 202,
    rate_limit_per_minute: rate?.limit ?? null,
    rate_limit_burst: rate?.burst ?? null,
    enabled: body.enabled ?? true,
    metadata: body.metadata ?? {},
    created_by: actor.id,
    created_at: now,
    updated_at: now,
  });
  if (type !== 'bearer')
    await insertToken(unit.db, workspaceId, id, hashToken(token ?? publicId('publishing_endpoint', id)));
  const { endpoint, version } = await getEndpoint(unit, deps, workspaceId, id);
  await writeEndpointEvent(unit, workspaceId, 'publishing_endpoint.created', endpoint);
  return { endpoint, version, url: token === null ? endpoint.url : inUrl(deps.baseUrl, token), secret: made };
}
