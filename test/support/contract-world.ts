/** One workspace, a key that may do everything, and a good call of each documented operation; for tests over all. */
import { ALL_SCOPES } from '../../src/core/vocabulary/scopes.ts';
import { startTestApp, type TestApp } from './test-app.ts';
import {
  type ApiDocument,
  type ApiOperation,
  exampleQuery,
  fillPath,
  readApiDocument,
} from './api-document.ts';
import { callAsOwner, type Home, type Inputs, REAL_INPUTS } from './makers.ts';
import { makeObjects } from './references.ts';
import { type Received, send, type Sent } from './send.ts';
import { makeHome } from './tenancy-world.ts';

export interface ContractWorld {
  app: TestApp;
  document: ApiDocument;
  home: Home;
  key: string;
  /** A call of the operation that would succeed, with fresh objects and by who may make it. */
  goodCall(operation: ApiOperation): Promise<Sent>;
  /** Sends it, with some of it changed; members that are undefined are left out. */
  call(good: Sent, changes?: { [name in keyof Sent]?: Sent[name] | undefined }): Promise<Received>;
}

let homes = 0;

export async function startContractWorld(env: Record<string, string> = {}): Promise<ContractWorld> {
  const app = await startTestApp({ TRUST_PROXY: '127.0.0.1,::1', ...env });
  const document = await readApiDocument(app.base);
  const home = await makeHome(app, `contract-${++homes}`);
  const made = await callAsOwner(home, '/api-keys', { name: 'all', scopes: ALL_SCOPES, rate_limit: null });

  const toHeaders = (operation: ApiOperation, { as }: Inputs, at: Home): Record<string, string> => {
    const byPerson = { cookie: (as ?? at.owner).cookie, origin: app.base };
    if (as) return byPerson;
    const needsPerson = operation.access === 'user' || operation.id === 'workspaces.delete';
    const ownWorkspace = at.workspace === home.workspace;
    return needsPerson || !ownWorkspace
      ? { ...byPerson, 'fairlead-workspace': at.workspace }
      : { authorization: `Bearer ${made.secret}` };
  };

  return {
    app,
    document,
    home,
    key: made.secret,
    async goodCall(operation) {
      // What deletes its workspace gets one of its own.
      const at =
        operation.id === 'workspaces.delete' ? await makeHome(app, `gone-${++homes}`, home.owner) : home;
      const params = await makeObjects(app, operation, at);
      const inputs = (await REAL_INPUTS[operation.id]?.(app, at)) ?? {};
      let body = inputs.body ?? operation.body?.example;
      // Its example can be given once only.
      if (operation.id === 'invitations.create') body = { ...body, email: `guest-${++homes}@example.com` };
      if (operation.id === 'tags.create' || operation.id === 'tags.update')
        body = { ...body, name: `tagged ${++homes}` };
      if (operation.id === 'workspaces.update') body = { name: `Renamed ${++homes}` };
      return {
        method: operation.method,
        path: fillPath(operation.path, params, { ...exampleQuery(operation), ...inputs.query }),
        headers: {
          ...toHeaders(operation, inputs, at),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: body === undefined ? undefined : JSON.stringify(body),
      };
    },
    call: (good, changes = {}) => {
      const headers = Object.entries({ ...good.headers, ...changes.headers }).filter(
        ([, value]) => value !== undefined,
      );
      return send(app.base, { ...good, ...changes, headers: Object.fromEntries(headers) });
    },
  };
}
