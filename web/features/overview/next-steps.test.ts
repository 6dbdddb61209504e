import { expect, test } from 'vitest';
import { nextSteps } from './next-steps.ts';

const SCOPES = [
  'models:invoke',
  'providers:write',
  'instances:write',
  'links:create',
  'webhooks:write',
  'publishing:write',
  'members:write',
];
const usage = (used: Record<string, number> = {}) => ({
  resources: Object.entries({ members: 1, ...used }).map(([resource, count]) => ({
    resource,
    used: count,
    limit: null,
  })),
  models: [],
});
const titles = (...call: Parameters<typeof nextSteps>) => nextSteps(...call).map(({ title }) => title);

test('a step stays until the workspace has done it', () => {
  expect(titles(usage(), SCOPES)).toHaveLength(SCOPES.length);
  expect(titles(usage({ webhooks: 2, instances: 1, invitations: 1 }), SCOPES)).toEqual([
    'Try a model',
    'Connect a model provider',
    'Create a short link',
    'Publish from other services',
  ]);
  const all = {
    model_providers: 1,
    instances: 1,
    links: 1,
    webhooks: 1,
    publishing_endpoints: 1,
    members: 2,
  };
  expect(titles(usage(all), SCOPES)).toEqual([]);
});

test('a step is only for those who may take it', () => {
  expect(titles(usage(), ['webhooks:write', 'members:read'])).toEqual(['Set up a webhook']);
});
