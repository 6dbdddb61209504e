/** Operations to test publishing endpoints. */
import { requireUuid } from '../../../../core/vocabulary/ids.ts';
import { type Operation, operation } from '../../../../core/api/operation.ts';
import { exampleId, IdParams } from '../../../../core/api/id-schema.ts';
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
        'Renders a payload without sending anything. Returns the outcome, the message for each destination, and every error that would prevent sending. Renders `payload` or, if omitted, a sample: `sample_id` or the latest one. `destinations`, `filter`, `dedupe_key`, `schedule`, `shorten_links` and `allow_partial` override those of the endpoint for this test, so that you can preview a change before you save it. Nothing is stored.',
      access: 'publishing:write',
      alsoNeeds: ['publishing:read'],
      params: IdParams('publishing_endpoint'),
      body: TestPublishingEndpoint,
      bodyExample: { payload: { title: 'Hello' } },
      success: { status: 200, description: 'The result of the test.', schema: PublishingTest },
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
      summary: 'Test a publishing endpoint before creating it',
      description:
        'Like `POST /publishing-endpoints/{id}/test`, but for an endpoint that does not exist yet. Renders `payload` with the given definition. Nothing is sent or stored.',
      access: 'publishing:write',
      body: TestPublishingDraft,
      bodyExample: {
        payload: { title: 'Hello' },
        destinations: [
          { instance_id: exampleId('instance'), to: 'alice', template: 'New: {{ payload.title }}' },
        ],
      },
      success: { status: 200, description: 'The result of the test.', schema: PublishingTest },
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
        'The last 20 received payloads, newest first, including those of rejected publications. Use them to write templates. Values that look secret are masked before a sample is stored. A sample appears shortly after the response to its request.',
      access: 'publishing:read',
      params: IdParams('publishing_endpoint'),
      success: { status: 200, description: 'All samples.', schema: PublishingSamples },
    },
    async ({ actor, params, unit }) => ({
      body: await listSamples(unit, actor.workspaceId, requireUuid('publishing_endpoint', params.id)),
    }),
  ),
];
