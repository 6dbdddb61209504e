/** Operations by which a publishing endpoint is tried out. */
import { requireUuid } from '../../../platform/http/ids.ts';
import { type Operation, operation } from '../../../core/api/operation.ts';
import { exampleId, IdParams } from '../../../platform/http/schema.ts';
import {
  PublishingSamples,
  PublishingTest,
  TestPublishingDraft,
  TestPublishingEndpoint,
} from './endpoint-test.schema.ts';
import { listSamples, type TestDeps, testDraft, testEndpoint } from './endpoint-test.service.ts';

const TAG = 'Publishing endpoints';

export const endpointTestOperations = (deps: TestDeps): Operation[] => [
  operation(
    {
      id: 'publishing_endpoints.test',
      method: 'POST',
      path: '/publishing-endpoints/{id}/test',
      whenFull: 'goes_on',
      tag: TAG,
      summary: 'Test a publishing endpoint',
      description:
        'Renders, and sends nothing: tells what would become of a payload, the message for each destination, and everything that would keep it from being sent. `payload` is rendered or, without it, a sample: the one that is named, or the latest. `destinations`, `filter`, `dedupe_key`, `schedule`, `shorten_links` and `allow_partial` stand for those of the endpoint for this once, so that a change can be seen before it is saved. Nothing is stored.',
      access: 'publishing:write',
      alsoNeeds: ['publishing:read'],
      params: IdParams('publishing_endpoint'),
      body: TestPublishingEndpoint,
      bodyExample: { payload: { title: 'Hello' } },
      success: { status: 200, description: 'What would be made of it.', schema: PublishingTest },
      errors: ['unprocessable'],
      idempotency: 'refused',
      transaction: 'none',
    },
    async ({ actor, params, body, unit }) => {
      const id = requireUuid('publishing_endpoint', params.id);
      return { body: await testEndpoint(unit, deps, actor, id, body) };
    },
  ),
  operation(
    {
      id: 'publishing_endpoints.test_draft',
      method: 'POST',
      path: '/publishing-endpoints/test',
      whenFull: 'goes_on',
      tag: TAG,
      summary: 'Test a publishing endpoint that is not there yet',
      description:
        'As `POST /publishing-endpoints/{id}/test`, before anything is made: renders `payload` by what is given, sends and stores nothing.',
      access: 'publishing:write',
      body: TestPublishingDraft,
      bodyExample: {
        payload: { title: 'Hello' },
        destinations: [
          { instance_id: exampleId('instance'), to: 'alice', template: 'New: {{ payload.title }}' },
        ],
      },
      success: { status: 200, description: 'What would be made of it.', schema: PublishingTest },
      idempotency: 'refused',
      transaction: 'none',
    },
    async ({ actor, body, unit }) => ({ body: await testDraft(unit, deps, actor, body) }),
  ),
  operation(
    {
      id: 'publishing_endpoints.samples',
      method: 'GET',
      path: '/publishing-endpoints/{id}/samples',
      tag: TAG,
      summary: 'List the samples of a publishing endpoint',
      description:
        'The last 20 payloads that came, newest first, also of what was rejected, to make templates by. What looks like a secret was masked before they were kept. A sample stands there a moment after its publication was answered.',
      access: 'publishing:read',
      params: IdParams('publishing_endpoint'),
      success: { status: 200, description: 'All of them.', schema: PublishingSamples },
    },
    async ({ actor, params, unit }) => ({
      body: await listSamples(unit, actor.workspaceId, requireUuid('publishing_endpoint', params.id)),
    }),
  ),
];
