/** A workspace with an account of the sandbox, and rules that run in it. */
import { vi } from 'vitest';
import { PATIENCE } from '../patience.ts';
import { toUuid } from '../../../src/core/vocabulary/ids.ts';
import { type Answer, startTestApp, startWorkspace, type TestApp } from '../test-app.ts';

/** Of waiting for what rules do: a machine under load takes its time. */
let made = 0;

export interface RuleWorld {
  app: TestApp;
  home: Awaited<ReturnType<typeof startWorkspace>>;
  /** A connected account, whose contacts answer nothing. */
  instance: string;
  /** Calls with the workspace's key. */
  call(path: string, body?: unknown, method?: string): Promise<Answer>;
  /** @param fields beside name and a generous rate. @returns the rule's ID */
  rule(events: string[], actions: object[], fields?: object): Promise<string>;
  /** Makes an event that nothing else makes: a link. @returns the link's ID */
  link(fields?: object): Promise<string>;
  /** Newest first. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into any run
  runs(ruleId: string, query?: string): Promise<any[]>;
  /** Once a rule has that many runs, and none is under way. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into any run
  settled(ruleId: string, count: number): Promise<any[]>;
  /** Texts of the messages that rules have made, oldest first. */
  sent(): Promise<string[]>;
  /** Until no event waits and no rule has anything to do. */
  quiet(): Promise<void>;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into any row
  rows(text: string, values?: unknown[]): Promise<any[]>;
  /** What waits for another try is due. */
  hurry(): Promise<void>;
}

/** @param on another world's app, for a second workspace in it */
export async function startRules(env: Record<string, string> = {}, on?: TestApp): Promise<RuleWorld> {
  const app = on ?? (await startTestApp(env));
  const home = await startWorkspace(app);
  const call: RuleWorld['call'] = (path, body, method) => app.call(path, { key: home.key, body, method });
  const rows: RuleWorld['rows'] = async (text, values = []) =>
    (await app.database.pool.query(text, values)).rows;
  const must = async (answer: Promise<Answer>, status: number) => {
    const { status: got, body } = await answer;
    if (got !== status) throw new Error(JSON.stringify(body));
    return body;
  };
  const { id: instance } = await must(
    call('/instances', { name: `box ${++made}`, channel: 'sandbox', settings: { replies: false } }),
    201,
  );
  await call(`/instances/${instance}/connect`, undefined, 'POST');
  await vi.waitFor(async () => {
    const { body } = await call(`/instances/${instance}`);
    if (body.state !== 'connected') throw new Error(`the account is ${body.state}`);
  }, PATIENCE);
  const world: RuleWorld = {
    app,
    home,
    instance,
    call,
    rows,
    async rule(events, actions, fields = {}) {
      const rate = { limit: 100_000, burst: 100_000 };
      const body = { name: `rule ${++made}`, events, actions, rate_limit: rate, ...fields };
      return (await must(call('/rules', body), 201)).id;
    },
    link: async (fields = {}) =>
      (await must(call('/links', { url: `https://example.com/${++made}`, ...fields }), 201)).id,
    runs: async (ruleId, query = '') => (await call(`/rules/${ruleId}/runs?limit=100${query}`)).body.data,
    settled: (ruleId, count) =>
      vi.waitFor(async () => {
        const runs = await world.runs(ruleId);
        const over = runs.filter(({ status }: { status: string }) => status !== 'running');
        if (over.length !== count || runs.length !== count)
          throw new Error(`${over.length} of ${count} runs: ${JSON.stringify(runs)}`);
        return runs;
      }, PATIENCE),
    sent: async () =>
      (
        await rows(
          `select content ->> 'body' as text from messages where source = 'rule' and workspace_id = $1 order by id`,
          [toUuid('workspace', home.workspace)],
        )
      ).map(({ text }) => text),
    quiet: () =>
      vi.waitFor(async () => {
        const [{ busy }] = await rows(
          'select exists (select from outbox) or exists (select from rule_queue where due_at <= now()) as busy',
        );
        if (busy) throw new Error('rules have something to do');
      }, PATIENCE),
    async hurry() {
      await rows('update rule_queue set due_at = now() where due_at > now()');
    },
  };
  return world;
}
