/** Creates, reads, updates and deletes model providers. Credentials never leave the row that they are sealed for. */
import type { WorkspaceActor } from '../../../core/auth/actor.ts';
import { assertModelsAllowed, mayCallModel } from '../../../core/auth/allowed-models.ts';
import { changedFields } from '../../../core/unit/event-writer.ts';
import type { ReadUnit, Unit } from '../../../core/unit/unit-of-work.ts';
import type { Quotas } from '../../../core/workspaces/quota.ts';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import { timeOfUuid } from '../../../platform/db/uuid-time.ts';
import { assertMatches, type IfMatch, type WithVersion } from '../../../platform/http/etag.ts';
import { type List, type Page, toList } from '../../../platform/http/pagination.ts';
import { escapePointer, type FieldError, notFound, Problem } from '../../../platform/http/problem.ts';
import { writeProviderEvent } from './provider-change.ts';
import {
  type NewProviderInput,
  readNewProvider,
  readProviderChanges,
  similarSlugs,
  slugTaken,
} from './provider-input.ts';
import { presentListedModel, presentProvider } from './provider-present.ts';
import { openProviderSecrets, type ProviderSecrets, sealProviderSecrets } from './provider-secrets.ts';
import {
  type CreateModelProviderBody,
  DEFAULT_TIMEOUT_SECONDS,
  type ListedModelObject,
  type ModelProviderObject,
  type UpdateModelProviderBody,
} from './provider.schema.ts';
import { toWholePrice } from './price.schema.ts';
import * as store from './provider.store.ts';

export interface ProviderDeps {
  secrets: SecretBox;
  quotas: Quotas;
}

const withVersion = (row: store.ProviderRow): WithVersion<{ provider: ModelProviderObject }> => ({
  provider: presentProvider(row),
  version: row.version,
});

const withAliases = (models: CreateModelProviderBody['models']): ModelProviderObject['models'] =>
  models?.map(({ id, alias = null }) => ({ id, alias })) ?? null;

const toPrices = (prices: CreateModelProviderBody['prices']): ModelProviderObject['prices'] =>
  Object.fromEntries(Object.entries(prices ?? {}).map(([model, price]) => [model, toWholePrice(price)]));

/** @throws Problem not_found */
export async function requireProvider(
  unit: ReadUnit,
  workspaceId: string,
  id: string,
): Promise<store.ProviderRow> {
  const row = await store.getProvider(unit.db, workspaceId, id);
  if (!row) throw notFound('model provider');
  return row;
}

/** @throws Problem not_found */
export async function lockProvider(unit: Unit, workspaceId: string, id: string): Promise<store.ProviderRow> {
  const row = await store.lockProvider(unit.db, workspaceId, id);
  if (!row) throw notFound('model provider');
  return row;
}

/** Gets a provider. @throws Problem not_found */
export const getProvider = async (
  unit: ReadUnit,
  workspaceId: string,
  id: string,
): Promise<WithVersion<{ provider: ModelProviderObject }>> =>
  withVersion(await requireProvider(unit, workspaceId, id));

export async function listProviders(
  unit: ReadUnit,
  workspaceId: string,
  page: Page,
  filter: store.ProviderFilter,
): Promise<List<ModelProviderObject>> {
  const rows = await store.listProviders(unit.db, workspaceId, page, filter);
  return toList(rows, page, ({ id }) => id, presentProvider);
}

/** Lists the models that a provider lists or was told to offer, in the order of their names. @throws Problem not_found */
export async function listModelsOfProvider(
  unit: ReadUnit,
  workspaceId: string,
  id: string,
  page: Page,
  search: string | undefined,
): Promise<List<ListedModelObject>> {
  const provider = await requireProvider(unit, workspaceId, id);
  const rows = await store.listModelsOfProvider(unit.db, provider, page, search);
  return toList(
    rows,
    page,
    (row) => row.id,
    (row) => presentListedModel(provider, row),
  );
}

async function findFreeSlug(unit: ReadUnit, workspaceId: string, slug: string): Promise<string | undefined> {
  const candidates = similarSlugs(slug);
  const taken = await store.findTakenSlugs(unit.db, workspaceId, candidates);
  return candidates.find((candidate) => !taken.has(candidate));
}

/** Reads the models of a provider soon, in the background. */
const readModelsSoon = (unit: Unit, workspaceId: string, id: string): Promise<void> =>
  unit.jobs.enqueue(unit.db, 'model-providers.refresh', { workspaceId, id });

/** Builds the row of a new provider, with its credentials sealed. */
function buildProvider(
  unit: ReadUnit,
  secrets: SecretBox,
  actor: WorkspaceActor,
  body: CreateModelProviderBody,
  { name, slug, baseUrl }: NewProviderInput,
): store.NewProvider {
  const id = unit.newUuid();
  // `created_at` is the time in the ID, because lists filter by ID.
  const now = timeOfUuid(id);
  const credentials = { api_key: body.api_key ?? null, headers: body.headers ?? {} };
  return {
    id,
    name,
    slug,
    kind: body.kind,
    base_url: baseUrl,
    ...toColumns(secrets, { workspace_id: actor.workspaceId, id }, credentials),
    models: withAliases(body.models),
    prices: toPrices(body.prices),
    timeout_seconds: body.timeout_seconds ?? DEFAULT_TIMEOUT_SECONDS,
    max_concurrency: body.max_concurrency ?? null,
    enabled: body.enabled ?? true,
    refresh_at: now,
    metadata: body.metadata ?? {},
    created_by: actor.id,
    created_at: now,
    updated_at: now,
  };
}

/** Returns the row of a provider that is not saved. @throws Problem invalid_request */
export const buildUnsavedProvider = (
  unit: ReadUnit,
  secrets: SecretBox,
  actor: WorkspaceActor,
  body: CreateModelProviderBody,
): store.ProviderRow => ({
  ...buildProvider(unit, secrets, actor, body, readNewProvider(body)),
  workspace_id: actor.workspaceId,
  state: 'active',
  last_error: null,
  models_count: 0,
  listed_at: null,
  version: 1,
});

/** Creates a provider. Its models are read in the background. @throws Problem invalid_request, slug_taken, quota_exceeded, model_not_allowed */
export async function createProvider(
  unit: Unit,
  { secrets, quotas }: ProviderDeps,
  actor: WorkspaceActor,
  body: CreateModelProviderBody,
): Promise<WithVersion<{ provider: ModelProviderObject }>> {
  const { workspaceId } = actor;
  const input = readNewProvider(body);
  assertNamesAllowed(actor, input.slug, body);
  await quotas.assert(unit, workspaceId, 'model_providers');
  const provider = buildProvider(unit, secrets, actor, body, input);
  const insert = (slug: string) => store.insertProvider(unit.db, workspaceId, { ...provider, slug });
  await store.lockSlugs(unit.db, workspaceId);
  let row = await insert(input.slug);
  if (!row) {
    const free = await findFreeSlug(unit, workspaceId, input.slug);
    row = input.isSlugGiven || free === undefined ? undefined : await insert(free);
    if (!row) throw slugTaken(input.slug, free);
  }
  if (row.enabled) await readModelsSoon(unit, workspaceId, row.id);
  const created = withVersion(row);
  await writeProviderEvent(unit, workspaceId, 'model_provider.created', created.provider);
  return created;
}

const toColumns = (
  secrets: SecretBox,
  row: { workspace_id: string; id: string },
  credentials: ProviderSecrets,
) => ({
  secrets_sealed: sealProviderSecrets(secrets, row, credentials),
  has_api_key: credentials.api_key !== null,
  header_names: Object.keys(credentials.headers),
});

const unprocessable = (errors: FieldError[]): Problem =>
  new Problem('unprocessable', errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; '), {
    errors,
  });

/**
 * Requires the credentials again if they would be sent to another origin. Otherwise, anyone who can edit the provider
 * could have them sent to their own host.
 * @throws Problem unprocessable
 */
function assertMayMove(row: store.ProviderRow, baseUrl: string, body: UpdateModelProviderBody): void {
  if (new URL(baseUrl).origin === new URL(row.base_url).origin) return;
  const detail = 'must be given again, because base_url changes to another origin';
  const errors: FieldError[] = [];
  if (row.has_api_key && body.api_key === undefined)
    errors.push({ pointer: '/api_key', code: 'required', detail });
  if (row.header_names.length && !body.headers)
    errors.push({ pointer: '/headers', code: 'required', detail });
  for (const [name, value] of Object.entries(body.headers ?? {}))
    if (value === null) errors.push({ pointer: `/headers/${escapePointer(name)}`, code: 'required', detail });
  if (errors.length) throw unprocessable(errors);
}

/** Returns the headers after the change; null keeps a value. @throws Problem unprocessable */
function mergeHeaders(
  before: Record<string, string>,
  given: Record<string, string | null>,
): Record<string, string> {
  const current = new Map(Object.entries(before).map(([name, value]) => [name.toLowerCase(), value]));
  const errors: FieldError[] = [];
  const merged = Object.entries(given).map(([name, value]): [string, string] => {
    const kept = value ?? current.get(name.toLowerCase());
    if (kept === undefined)
      errors.push({
        pointer: `/headers/${escapePointer(name)}`,
        code: 'required',
        detail: 'has no value yet that could be kept',
      });
    return [name, kept ?? ''];
  });
  if (errors.length) throw unprocessable(errors);
  return Object.fromEntries(merged);
}

function changeCredentials(
  secrets: SecretBox,
  row: store.ProviderRow,
  body: UpdateModelProviderBody,
): store.ProviderChange {
  if (body.api_key === undefined && body.headers === undefined) return {};
  const before = openProviderSecrets(secrets, row);
  return toColumns(secrets, row, {
    api_key: body.api_key === undefined ? before.api_key : body.api_key,
    headers: body.headers === undefined ? before.headers : mergeHeaders(before.headers, body.headers),
  });
}

/**
 * Checks that a key with `allowed_models` gives no model a name that it may call, unless it may call the model itself.
 * @throws Problem model_not_allowed
 */
function assertNamesAllowed(
  actor: WorkspaceActor,
  slug: string,
  { slug: newSlug = slug, models }: Pick<UpdateModelProviderBody, 'slug' | 'models'>,
): void {
  // A new slug renames all models of the provider.
  if (newSlug !== slug) assertModelsAllowed(actor, [['/slug', `${slug}/*`]]);
  const named = (models ?? []).flatMap(({ id, alias }, nth) =>
    alias && mayCallModel(actor, `${newSlug}/${alias}`)
      ? [[`/models/${nth}/alias`, `${slug}/${id}`] as const]
      : [],
  );
  assertModelsAllowed(actor, named);
}

/** A slug is unique, so a taken one is found before the constraint aborts the transaction. */
async function assertSlugFree(unit: Unit, row: store.ProviderRow, slug: string | undefined): Promise<void> {
  if (slug === undefined || slug === row.slug) return;
  const taken = await store.findTakenSlugs(unit.db, row.workspace_id, [slug]);
  if (taken.has(slug)) throw slugTaken(slug, await findFreeSlug(unit, row.workspace_id, slug));
}

/**
 * Updates a provider. Fields that are left out stay unchanged.
 * @throws Problem invalid_request, not_found, precondition_failed, slug_taken, unprocessable, model_not_allowed
 */
export async function updateProvider(
  unit: Unit,
  { secrets }: ProviderDeps,
  actor: WorkspaceActor,
  id: string,
  body: UpdateModelProviderBody,
  ifMatch: IfMatch,
): Promise<WithVersion<{ provider: ModelProviderObject }>> {
  const { workspaceId } = actor;
  const { baseUrl } = readProviderChanges(body);
  if (body.slug !== undefined) await store.lockSlugs(unit.db, workspaceId);
  const row = await lockProvider(unit, workspaceId, id);
  assertMatches(ifMatch, row, 'model provider');
  assertNamesAllowed(actor, row.slug, body);
  if (baseUrl !== undefined) assertMayMove(row, baseUrl, body);
  await assertSlugFree(unit, row, body.slug);
  const change: store.ProviderChange = {
    ...changeCredentials(secrets, row, body),
    ...(body.name === undefined ? {} : { name: body.name }),
    ...(body.slug === undefined ? {} : { slug: body.slug }),
    ...(baseUrl === undefined ? {} : { base_url: baseUrl }),
    ...(body.models === undefined ? {} : { models: withAliases(body.models) }),
    ...(body.prices === undefined ? {} : { prices: toPrices(body.prices) }),
    ...(body.timeout_seconds === undefined ? {} : { timeout_seconds: body.timeout_seconds }),
    ...(body.max_concurrency === undefined ? {} : { max_concurrency: body.max_concurrency }),
    ...(body.enabled === undefined ? {} : { enabled: body.enabled }),
    ...(body.metadata === undefined ? {} : { metadata: body.metadata }),
    updated_at: unit.clock(),
  };
  const after = await store.updateProvider(unit.db, workspaceId, id, change, true);
  const readsAnew =
    after.base_url !== row.base_url || after.secrets_sealed !== row.secrets_sealed || !row.enabled;
  if (after.enabled && readsAnew) await readModelsSoon(unit, workspaceId, id);
  const updated = withVersion(after);
  const previous = changedFields(presentProvider(row), updated.provider);
  await writeProviderEvent(unit, workspaceId, 'model_provider.updated', updated.provider, previous);
  return updated;
}

/** Deletes a provider and its models. @throws Problem not_found, precondition_failed */
export async function deleteProvider(
  unit: Unit,
  workspaceId: string,
  id: string,
  ifMatch: IfMatch,
): Promise<ModelProviderObject> {
  const row = await lockProvider(unit, workspaceId, id);
  assertMatches(ifMatch, row, 'model provider');
  await store.deleteProvider(unit.db, workspaceId, id);
  const { provider } = withVersion(row);
  await writeProviderEvent(unit, workspaceId, 'model_provider.deleted', provider);
  return provider;
}
