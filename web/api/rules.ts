/** Rules, what they did, and the trial of what they would do. */
import { parseJson } from './exact-json.ts';
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { apiFor, type Tagged, unwrap, unwrapTagged } from './client.ts';
import { ifMatch } from './edit.ts';
import { listQuery } from './list.ts';
import type { operations } from './schema.d.ts';
import type { Rule, RuleRun, RuleTrialAnswer } from './types.ts';

type Body<O extends keyof operations> = operations[O] extends {
  requestBody?: { content: { 'application/json': infer B } };
}
  ? B
  : never;
export type NewRule = Body<'rules.create'>;
export type RuleChange = Body<'rules.update'>;
export type RuleTrial = Body<'rules.test_definition'>;
export type ActionBody = NewRule['actions'][number];
export type RuleFilter = Omit<
  NonNullable<operations['rules.list']['parameters']['query']>,
  'limit' | 'cursor'
>;
export type RunFilter = Omit<
  NonNullable<operations['rule_runs.list']['parameters']['query']>,
  'limit' | 'cursor'
>;

/** Polling interval, for counters: they have no event. */
const COUNTERS_MS = 5000;
const SOON_MS = 1000;
const LATER_MS = 10_000;

/** All that begins with this is of rules and their runs: for invalidating. */
const rulesKey = (workspaceId: string) => ['ws', workspaceId, 'rules'] as const;

export const refreshRules = (client: QueryClient, workspaceId: string): Promise<void> =>
  client.invalidateQueries({ queryKey: rulesKey(workspaceId) });

export const rulesQuery = (workspaceId: string, filter: RuleFilter) => ({
  ...listQuery([...rulesKey(workspaceId), 'list', filter], (page, signal) =>
    unwrap(apiFor(workspaceId).GET('/api/v1/rules', { params: { query: { ...page, ...filter } }, signal })),
  ),
  // Not once further pages are loaded, which would all be read again.
  refetchInterval: ({ state }: { state: { data?: { pages: unknown[] } | undefined } }) =>
    (state.data?.pages.length ?? 0) <= 1 ? COUNTERS_MS : (false as const),
});

/** Gets a rule with its version. A change sends the version, so that it doesn't overwrite another change. */
export const ruleQuery = (workspaceId: string, id: string) =>
  queryOptions({
    queryKey: [...rulesKey(workspaceId), 'one', id],
    queryFn: ({ signal }): Promise<Tagged<Rule>> =>
      unwrapTagged(apiFor(workspaceId).GET('/api/v1/rules/{id}', { params: { path: { id } }, signal })),
    refetchInterval: COUNTERS_MS,
  });

export const ruleNameQuery = (workspaceId: string, id: string) => ({
  queryKey: [...rulesKey(workspaceId), 'name', id],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    unwrap(apiFor(workspaceId).GET('/api/v1/rules/{id}', { params: { path: { id } }, signal })).then(
      ({ name }) => name,
    ),
});

export const createRule = (workspaceId: string, body: NewRule): Promise<Rule> =>
  unwrap(apiFor(workspaceId).POST('/api/v1/rules', { body }));

/** @param version the one that was read, from its ETag; null overwrites whatever there is */
export const updateRule = (
  workspaceId: string,
  id: string,
  body: RuleChange,
  version: string | null = null,
): Promise<Tagged<Rule>> =>
  unwrapTagged(
    apiFor(workspaceId).PATCH('/api/v1/rules/{id}', {
      params: { path: { id }, ...ifMatch(version) },
      body,
    }),
  );

export const deleteRule = (workspaceId: string, id: string) =>
  unwrap(apiFor(workspaceId).DELETE('/api/v1/rules/{id}', { params: { path: { id } } }));

const tryRule = (
  workspaceId: string,
  id: string | null,
  body: RuleTrial,
  signal: AbortSignal,
): Promise<RuleTrialAnswer> =>
  id === null
    ? unwrap(apiFor(workspaceId).POST('/api/v1/rules/test', { body, signal }))
    : unwrap(apiFor(workspaceId).POST('/api/v1/rules/{id}/test', { params: { path: { id } }, body, signal }));

/**
 * Tests what a rule would do. Each body is sent once; a newer one aborts it.
 * @param id null for a rule that is not saved yet
 * @param body JSON of what is tried
 */
export const ruleTrialQuery = (workspaceId: string, id: string | null, body: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'rule-trial', id, body],
    queryFn: ({ signal }) => tryRule(workspaceId, id, parseJson(body) as RuleTrial, signal),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });

export const runsQuery = (workspaceId: string, filter: RunFilter) =>
  listQuery([...rulesKey(workspaceId), 'runs', filter], (page, signal) =>
    unwrap(
      apiFor(workspaceId).GET('/api/v1/rule-runs', { params: { query: { ...page, ...filter } }, signal }),
    ),
  );

const isOver = ({ status }: RuleRun): boolean => status !== 'running';

/** One run; asked for again until it is over. */
export const runQuery = (workspaceId: string, id: string) =>
  queryOptions({
    queryKey: [...rulesKey(workspaceId), 'run', id],
    queryFn: ({ signal }) =>
      unwrap(apiFor(workspaceId).GET('/api/v1/rule-runs/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state: { data } }) => (data && isOver(data) ? LATER_MS : SOON_MS),
  });

/** @returns what tells which run it becomes */
export const replayRun = (workspaceId: string, id: string) =>
  unwrap(apiFor(workspaceId).POST('/api/v1/rule-runs/{id}/replay', { params: { path: { id } } }));
