/**
 * Tests an endpoint: renders a payload with its saved or a draft definition and reports all errors. Uses the same code
 * as publishing, up to the point where something would be written.
 */
import { toOutgoing } from '../../ports/ports.ts';
import type { WorkspaceActor } from '../../../../core/auth/actor.ts';
import type { ReadUnit } from '../../../../core/unit/unit-of-work.ts';
import { newUuid } from '../../../../platform/http/ids.ts';
import { publicId, toUuid } from '../../../../core/vocabulary/ids.ts';
import { type List, toCompleteList } from '../../../../platform/http/pagination.ts';
import { type FieldError, invalid } from '../../../../platform/http/problem.ts';
import {
  type PublicationRequest,
  getVariables,
  toFieldErrorLists,
  renderPublication,
  type RenderedPublication,
} from '../../publications/publication-request.ts';
import { getLossless } from '../../../../platform/http/json-body.ts';
import { getRejection } from '../../ports/refusal.ts';
import { sampleAnswer } from '../../questions/ask-model.ts';
import { toDefinition, validateForm } from '../endpoint-definition.ts';
import { type ReceivingEndpoint, getReceiving } from '../endpoint.store.ts';
import {
  MAX_SAMPLES,
  type PublishingSampleObject,
  type PublishingTestObject,
  type TestPublishingDraftBody,
  type TestPublishingEndpointBody,
} from './endpoint-test.schema.ts';
import type { Definition } from '../publishing-endpoint.schema.ts';
import { type PublishingEndpointDeps, readEndpoint } from '../publishing-endpoint.service.ts';
import * as store from './sample.store.ts';

export type TestDeps = Pick<PublishingEndpointDeps, 'templates' | 'messages'>;

const presentSample = (row: store.SampleRow): PublishingSampleObject => ({
  id: publicId('publication', row.id),
  object: 'publishing_sample',
  endpoint_id: publicId('publishing_endpoint', row.endpoint_id),
  content_type: row.content_type,
  payload: row.payload,
  headers: row.headers,
  query: row.query,
  created_at: row.created_at.toISOString(),
});

/**
 * Lists the latest samples, newest first.
 * @throws Problem not_found
 */
export async function listSamples(
  unit: ReadUnit,
  workspaceId: string,
  id: string,
): Promise<List<PublishingSampleObject>> {
  await readEndpoint(unit, workspaceId, id);
  const rows = await store.listSamples(unit.db, workspaceId, id, MAX_SAMPLES);
  return toCompleteList(rows.map(presentSample));
}

interface Given extends Pick<PublicationRequest, 'payload' | 'headers' | 'query' | 'contentType'> {
  /** Public ID; null if the caller supplied the payload. */
  sampleId: string | null;
}

/**
 * Returns the payload to render.
 * @throws Problem invalid_request, not_found, unprocessable
 */
async function readGiven(
  unit: ReadUnit,
  workspaceId: string,
  endpointId: string,
  body: TestPublishingEndpointBody,
): Promise<Given> {
  const { sample_id: sampleId, headers = {}, query = {} } = body;
  if (body.payload !== undefined) {
    if (sampleId !== undefined)
      throw invalid([
        { pointer: '/sample_id', code: 'ambiguous', detail: 'give either payload or sample_id, not both' },
      ]);
    return {
      payload: getLossless(body).payload,
      headers,
      query,
      contentType: 'application/json',
      sampleId: null,
    };
  }
  const faults = (['headers', 'query'] as const)
    .filter((field) => body[field] !== undefined)
    .map((field) => ({ pointer: `/${field}`, code: 'unexpected', detail: 'is only allowed with payload' }));
  if (faults.length) throw invalid(faults);
  const uuid = sampleId === undefined ? undefined : toUuid('publication', sampleId);
  const row =
    uuid === undefined
      ? (await store.listSamples(unit.db, workspaceId, endpointId, 1))[0]
      : uuid === null
        ? undefined
        : await store.getSample(unit.db, workspaceId, endpointId, uuid);
  if (!row)
    throw getRejection([
      sampleId === undefined
        ? {
            pointer: '/payload',
            code: 'required',
            detail: 'is required because the endpoint has no sample yet',
          }
        : { pointer: '/sample_id', code: 'not_found', detail: 'This endpoint has no such sample.' },
    ]);
  return {
    payload: row.payload,
    headers: row.headers,
    query: row.query,
    contentType: row.content_type,
    sampleId: publicId('publication', row.id),
  };
}

/** Returns what messaging would reject, by destination; only for destinations without other errors. */
async function checkMessages(
  unit: ReadUnit,
  { messages }: TestDeps,
  workspaceId: string,
  { request, bodies, destinationErrors }: RenderedPublication,
): Promise<FieldError[][]> {
  const asksModel = request.endpoint.definition.ask_model !== null;
  const checked = bodies.flatMap((body, nth) =>
    body && destinationErrors[nth]!.length === 0 ? [{ body, nth }] : [],
  );
  const problems = await messages.check(
    unit,
    workspaceId,
    checked.map(({ body }) => toOutgoing(body, asksModel)),
  );
  const rejected = bodies.map(() => null as (typeof problems)[number]);
  for (const [index, { nth }] of checked.entries()) rejected[nth] = problems[index]!;
  return toFieldErrorLists(rejected);
}

/** Renders `dedupe_key`: publishing keeps only a hash of it. */
async function renderKey(
  { templates }: TestDeps,
  { request, ...publication }: RenderedPublication,
): Promise<string | null> {
  const { endpoint } = request;
  const { dedupe_key: source } = endpoint.definition;
  if (source === null) return null;
  const variables = getVariables(request, publication);
  const [rendered] = await templates.render(endpoint.workspaceId, variables, [{ kind: 'text', source }]);
  return rendered!.text?.trim() || null;
}

function getOutcome(
  { isFiltered, scheduledAt }: RenderedPublication,
  { allow_partial: allowsPartial }: Definition,
  errors: readonly FieldError[],
  rejected: readonly boolean[],
): PublishingTestObject['outcome'] {
  if (isFiltered) return 'filtered';
  const isRejected = rejected.some(Boolean);
  if (errors.length || (isRejected && (!allowsPartial || rejected.every(Boolean)))) return 'rejected';
  if (scheduledAt) return 'scheduled';
  return isRejected ? 'partially_published' : 'published';
}

/**
 * Tests an existing endpoint.
 * @throws Problem not_found, invalid_request, unprocessable
 */
export async function testEndpoint(
  unit: ReadUnit,
  deps: TestDeps,
  actor: WorkspaceActor,
  id: string,
  body: TestPublishingEndpointBody,
): Promise<PublishingTestObject> {
  const row = await readEndpoint(unit, actor.workspaceId, id);
  const given = await readGiven(unit, actor.workspaceId, id, body);
  const endpoint = { ...getReceiving(row), definition: toDefinition(body, row.definition) };
  return testGiven(unit, deps, actor, { endpoint, isSaved: true }, given);
}

/**
 * Tests an endpoint that does not exist yet.
 * @throws Problem invalid_request
 */
export async function testDraft(
  unit: ReadUnit,
  deps: TestDeps,
  actor: WorkspaceActor,
  body: TestPublishingDraftBody,
): Promise<PublishingTestObject> {
  const endpoint: ReceivingEndpoint = {
    workspaceId: actor.workspaceId,
    id: newUuid(),
    name: body.name ?? '',
    version: 1,
    revision: 1,
    enabled: true,
    auth: { type: 'bearer' },
    definition: toDefinition(body),
    successStatus: 202,
    rateLimit: null,
  };
  const { payload } = getLossless(body);
  const { headers = {}, query = {} } = body;
  const given = { payload, headers, query, contentType: 'application/json', sampleId: null };
  return testGiven(unit, deps, actor, { endpoint, isSaved: false }, given);
}

async function testGiven(
  unit: ReadUnit,
  deps: TestDeps,
  actor: WorkspaceActor,
  { endpoint, isSaved }: { endpoint: ReceivingEndpoint; isSaved: boolean },
  { sampleId, ...given }: Given,
): Promise<PublishingTestObject> {
  const { workspaceId } = actor;
  const { definition } = endpoint;
  const form = validateForm(definition, deps.messages.types);
  const ofDestination = (nth: number, fieldErrors: readonly FieldError[]): FieldError[] =>
    fieldErrors.filter(({ pointer }) => pointer.startsWith(`/destinations/${nth}/`));
  const endpointErrors = form.filter(({ pointer }) => !pointer.startsWith('/destinations/'));
  // An invalid schedule yields no time.
  const timed = endpointErrors.length ? { ...definition, schedule: null } : definition;
  const prepared = await renderPublication(
    { ...deps, clock: unit.clock },
    {
      endpoint: { ...endpoint, definition: timed },
      source: endpoint.auth.type,
      size: 0,
      replaced: 0,
      deliveryId: null,
      actorId: actor.id,
      ...(definition.ask_model && { answer: sampleAnswer(definition.ask_model.model) }),
      ...given,
    },
  );
  const rejections = await checkMessages(unit, deps, workspaceId, prepared);
  const destinations = definition.destinations.map((_, nth) => {
    const own = ofDestination(nth, form);
    const rendered = prepared.destinationErrors[nth]!;
    return {
      destination: nth,
      message: prepared.bodies[nth] ?? null,
      errors: own.length ? own : rendered.length ? rendered : rejections[nth]!,
    };
  });
  const errors = [...endpointErrors, ...prepared.fieldErrors];
  return {
    object: 'publishing_test',
    endpoint_id: isSaved ? publicId('publishing_endpoint', endpoint.id) : null,
    outcome: getOutcome(
      prepared,
      definition,
      errors,
      destinations.map((one) => one.errors.length > 0),
    ),
    sample_id: sampleId,
    payload: given.payload,
    headers: given.headers,
    query: given.query,
    question: prepared.question,
    filter_passes: errors.some(({ pointer }) => pointer === '/filter') ? null : !prepared.isFiltered,
    dedupe_key: await renderKey(deps, prepared),
    scheduled_at: prepared.scheduledAt?.toISOString() ?? null,
    errors,
    destinations,
  };
}
