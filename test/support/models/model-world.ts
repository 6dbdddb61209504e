/** A workspace of a test app that calls models of providers on this machine. */
import { startTestApp, startWorkspace, type TestApp } from '../test-app.ts';

export interface NewProvider {
  slug: string;
  kind?: string;
  base_url: string;
  /** What the provider calls its models; without it, all that it lists. */
  models?: string[];
  [field: string]: unknown;
}

export interface ModelWorld {
  app: TestApp;
  home: Awaited<ReturnType<typeof startWorkspace>>;
  /** Base URL of Fairlead's API. */
  url: string;
  /** Calls the API with the key. @throws Error unless the answer is a success */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into any answer
  call(path: string, body?: object, method?: string): Promise<any>;
  /** @returns its ID */
  createProvider(fields: NewProvider): Promise<string>;
  /** Creates a key for which budgets of its own hold. */
  createKey(fields?: object): Promise<{ id: string; secret: string }>;
  stop(): Promise<void>;
}

export async function startModelWorld(env: Record<string, string> = {}): Promise<ModelWorld> {
  const app = await startTestApp({ EGRESS_ALLOW: '127.0.0.1', ...env });
  const home = await startWorkspace(app);
  const call: ModelWorld['call'] = async (path, body, method) => {
    const answer = await app.call(path, { key: home.key, body, method });
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  return {
    app,
    home,
    call,
    url: `${app.base}/api/v1`,
    async createProvider({ models, ...fields }) {
      const provider = await call('/model-providers', {
        kind: 'openai_compatible',
        name: fields.slug,
        ...(models ? { models: models.map((id) => ({ id })) } : {}),
        ...fields,
      });
      if (!models) await call(`/model-providers/${provider.id}/refresh`, undefined, 'POST');
      return provider.id as string;
    },
    async createKey(fields = {}) {
      const answer = await home.owner.call('/api-keys', {
        workspace: home.workspace,
        body: { name: 'caller', preset: 'full', rate_limit: null, ...fields },
      });
      if (answer.status !== 201) throw new Error(`no key: ${JSON.stringify(answer.body)}`);
      return { id: answer.body.id, secret: answer.body.secret };
    },
    stop: () => app.stop(),
  };
}
