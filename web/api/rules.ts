/** Rules, their runs, and previews of their actions. */
import { readQuery } from './read.ts';
import { get, send, sendTagged, post, patch, del, type FilterOf, type BodyOf, type Tagged } from './call.ts';
import { parseJson } from './exact-json.ts';
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { listQuery, pollFirstPage } from './list.ts';
import type { Rule, RuleRun, RuleTrialAnswer } from './types.ts';

export type NewRule = BodyOf<'post', '/rules'>;
export type RuleChange = BodyOf<'patch', '/rules/{id}'>;
export type RuleTrial = BodyOf<'post', '/rules/test'>;
export type ActionBody = NewRule['actions'][number];

/** Polling interval, for counters: they have no event. */
const COUNTERS_MS = 5000;
const SOON_MS = 1000;
const LATER_MS = 10_000;

/** All that begins with this is of rules and their runs: for invalidating. */
const rulesKey = (workspaceId: string) => ['ws', workspaceId, 'rules'] as const;

export const refreshRules = (client: QueryClient, workspaceId: string): Promise<void> =>
  client.invalidateQueries({ queryKey: rulesKey(workspaceId) });

export const rulesQuery = (workspaceId: string, filter: FilterOf<'/rules'>) => ({
  ...listQuery([...rulesKey(workspaceId), 'list', filter], workspaceId, get('/rules', { query: filter })),
  refetchInterval: pollFirstPage(COUNTERS_MS),
});

/** Gets a rule with its version. A change sends the version, so that it doesn't overwrite another change. */
export const ruleQuery = (workspaceId: string, id: string) =>
  queryOptions({
    queryKey: [...rulesKey(workspaceId), 'one', id],
    queryFn: ({ signal }): Promise<Tagged<Rule>> =>
      sendTagged(workspaceId, get('/rules/{id}', { path: { id } }), { signal }),
    refetchInterval: COUNTERS_MS,
  });

export const ruleNameQuery = (workspaceId: string, id: string) => ({
  queryKey: [...rulesKey(workspaceId), 'name', id],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    send(workspaceId, get('/rules/{id}', { path: { id } }), { signal }).then(({ name }) => name),
});

export const createRule = (body: NewRule) => post('/rules', { body });

export const updateRule = (id: string, body: RuleChange) => patch('/rules/{id}', { path: { id }, body });

export const deleteRule = (id: string) => del('/rules/{id}', { path: { id } });

const tryRule = (
  workspaceId: string,
  id: string | null,
  body: RuleTrial,
  signal: AbortSignal,
): Promise<RuleTrialAnswer> =>
  id === null
    ? send(workspaceId, post('/rules/test', { body }), { signal })
    : send(workspaceId, post('/rules/{id}/test', { path: { id }, body }), { signal });

/**
 * Tests a rule without running its actions. Each body is sent once; a newer one aborts it.
 * @param id null for a rule that is not saved yet
 * @param body JSON to test
 */
export const ruleTrialQuery = (workspaceId: string, id: string | null, body: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'rule-trial', id, body],
    queryFn: ({ signal }) => tryRule(workspaceId, id, parseJson(body) as RuleTrial, signal),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });

export const runsQuery = (workspaceId: string, filter: FilterOf<'/rule-runs'>) =>
  listQuery([...rulesKey(workspaceId), 'runs', filter], workspaceId, get('/rule-runs', { query: filter }));

const isOver = ({ status }: RuleRun): boolean => status !== 'running';

/** Gets a run. Polls until it is completed. */
export const runQuery = (workspaceId: string, id: string) =>
  readQuery([...rulesKey(workspaceId), 'run', id], workspaceId, get('/rule-runs/{id}', { path: { id } }), {
    refetchInterval: ({ state: { data } }) => (data && isOver(data) ? LATER_MS : SOON_MS),
  });

/** @returns the replay, with the ID of the new run */
export const replayRun = (id: string) => post('/rule-runs/{id}/replay', { path: { id } });
