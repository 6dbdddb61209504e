/** Mounts declared operations under /api/v1, and answers OPTIONS and unsupported methods (405) on their paths. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from '../auth/actor.ts';
import { assertNotPacked } from '../../platform/http/content-coding.ts';
import type { Cors } from './cors.ts';
import { createGate, type GateDeps } from './gate.ts';
import { callerPath, callerAddress } from '../../platform/http/caller-address.ts';
import {
  type BodyOwner,
  createLargeBodies,
  type LargeBodies,
  meterLargeBody,
} from '../../platform/http/large-bodies.ts';
import { addJsonParser } from '../../platform/http/json-parser.ts';
import { isOpenAiPath, openAiError } from '../../platform/http/openai-errors.ts';
import { type AnyBody, isEventStream, type Operation, type OperationSpec } from './operation.ts';
import { BODY_LIMIT, nothingAt, Problem } from '../../platform/http/problem.ts';
import { createOperationRunner, type RunDeps } from './run.ts';
import {
  createRawReader,
  createUploadReader,
  leastBytes,
  type Upload,
  type UploadForm,
} from '../../platform/http/upload.ts';
import type { DiskWatch } from '../../platform/storage/disk-watch.ts';
import { rejectByBody, rejectBeforeBody } from './storage-guard.ts';
import type { GetPerson } from '../auth/person-lookup.ts';

export const API_PREFIX = '/api/v1';
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

declare module 'fastify' {
  interface FastifyRequest {
    upload: Upload | null;
  }
  interface FastifyContextConfig {
    /** Reads a body of any type. */
    readAny?: AnyBody<unknown>['read'];
    /** Reads a form with a file. */
    readUpload?: ReturnType<typeof createUploadReader>;
    /** Content type → reader of a body that is a file. */
    readRaw?: ReadonlyMap<string, ReturnType<typeof createRawReader>>;
  }
}

export interface RegisterDeps extends GateDeps, RunDeps {
  cors: Cors;
  /** Called for every call with an authenticated actor. */
  onCall: (request: FastifyRequest, actor: Actor, spec: OperationSpec) => void;
  /** Called once for each call, with or without an actor: after its response, or when its caller left. */
  onResponse?: (request: FastifyRequest, reply: FastifyReply, spec: OperationSpec) => void;
  /** Returns the person that a workspace's load counts toward. */
  getPerson: GetPerson;
  /** Rejects writes while a disk is nearly full. */
  storage: Pick<DiskWatch, 'assertDiskSpace'>;
}

/** `/api-keys/{id}/rotate` → `/api-keys/:id/rotate`; `{id*}` → `*`. */
const routerPath = (path: string): string => path.replace(/\{\w+\*\}/g, '*').replace(/\{(\w+)\}/g, ':$1');

/** Returns the declared name of a `{name*}` parameter. */
const restName = (path: string): string | undefined => /\{(\w+)\*\}/.exec(path)?.[1];

function responseSchemas({ success, otherSuccess }: OperationSpec): Record<number, unknown> {
  const entries = [success, otherSuccess]
    .filter((item) => item?.schema)
    .map((item) => [item!.status, item!.schema]);
  return Object.fromEntries(entries);
}

function deprecationHeaders({ deprecated }: OperationSpec): Record<string, string> | null {
  if (!deprecated) return null;
  return {
    deprecation: `@${Math.floor(Date.parse(deprecated.since) / 1000)}`,
    sunset: new Date(deprecated.sunset).toUTCString(),
  };
}

/** Whether the server collects the body before the handler runs. */
const isRead = ({ method, upload, anyBody }: OperationSpec): boolean =>
  method !== 'GET' && upload === undefined && anyBody === undefined;

/** Builds a hook that sets headers on every response of an operation, errors included. */
const setHeaders =
  (headers: Record<string, string>) =>
  (_request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    void reply.headers(headers);
    done();
  };

/** A stream has no HEAD, because its headers are unknown before it starts. */
const hasHead = (spec: OperationSpec): boolean => spec.method === 'GET' && !isEventStream(spec);

/** Removes an uploaded file that the handler did not claim, whether or not the call succeeded. */
async function discardUnclaimedUpload({ file }: Upload, answered: void | Promise<void>): Promise<void> {
  try {
    await answered;
  } finally {
    await file.discard();
  }
}

const rawReaders = (form: UploadForm): ReadonlyMap<string, ReturnType<typeof createRawReader>> =>
  new Map((form.raw ?? []).map((type) => [type, createRawReader(form)]));

/** Reads forms and files only for operations with an upload. Others reject them like any type other than JSON. */
function readForms(api: FastifyInstance, rawTypes: ReadonlySet<string>): void {
  api.decorateRequest('upload', null);
  api.addContentTypeParser('multipart/form-data', async (request: FastifyRequest) => {
    const { readUpload } = request.routeOptions.config;
    if (!readUpload) throw new Problem('unsupported_media_type', 'Send the body as application/json.');
    assertNotPacked(request.headers);
    request.upload = await readUpload(request.raw);
  });
  for (const type of rawTypes)
    api.addContentTypeParser(type, async (request: FastifyRequest) => {
      const read = request.routeOptions.config.readRaw?.get(type);
      if (!read) throw new Problem('unsupported_media_type', 'Send the body as application/json.');
      assertNotPacked(request.headers);
      request.upload = await read(request.raw);
    });
}

/** Disables content type parsers in a scope whose operations read the raw body themselves. */
function readThemselves(api: FastifyInstance): void {
  api.removeAllContentTypeParsers();
  api.addContentTypeParser('*', (_request, _payload, done) => done(null));
  api.addHook('preValidation', async (request) => {
    request.body = await request.routeOptions.config.readAny!(request.raw);
  });
}

/** Asks the operation about an upload before anything of it is read. */
const admit =
  ({ upload, admitUpload }: OperationSpec, { units }: Pick<RegisterDeps, 'units'>) =>
  async ({ actor, headers }: FastifyRequest): Promise<void> => {
    const bytes = upload ? leastBytes(upload, headers) : null;
    if (bytes === null || headers['idempotency-key'] !== undefined || !actor || actor.kind === 'user') return;
    await admitUpload?.(units.read, actor.workspaceId, bytes);
  };

/**
 * Reports a call once its response has ended and the gate knows the caller. Fastify's own hook skips callers who close
 * the connection early.
 */
const reportEnd =
  (
    gate: ReturnType<ReturnType<typeof createGate>>,
    report: (...call: [FastifyRequest, FastifyReply]) => void,
  ) =>
  (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    let awaited = 2;
    const settle = (): void => {
      if (--awaited > 0) return;
      try {
        report(request, reply);
      } catch (err) {
        request.log.error({ err }, 'could not report a call');
      }
    };
    // Its caller may have left while it waited to be read.
    if (reply.raw.closed) settle();
    else reply.raw.once('close', settle);
    gate(request, reply, (error) => {
      settle();
      done(error);
    });
  };

/** Returns the owner that a body counts toward: the IP address for strangers. */
const getOwner =
  (getPerson: GetPerson) =>
  async (request: FastifyRequest): Promise<BodyOwner> => {
    const { actor } = request;
    if (!actor) {
      const [site, group] = callerPath(callerAddress(request));
      return { person: site, workspace: group };
    }
    if (actor.kind === 'user') return { person: actor.userId, workspace: actor.userId };
    return { person: await getPerson(actor.workspaceId), workspace: actor.workspaceId };
  };

function registerOne(
  api: FastifyInstance,
  operation: Operation,
  deps: RegisterDeps,
  largeBodies: LargeBodies,
): void {
  const { spec } = operation;
  const rest = restName(spec.path);
  const run = createOperationRunner(deps)(operation);
  const deprecation = deprecationHeaders(spec);
  const refuse = rejectBeforeBody(spec, deps.storage);
  const gate = createGate(deps)(spec);
  const { onResponse } = deps;
  api.route({
    method: spec.method,
    url: routerPath(spec.path),
    bodyLimit: spec.bodyLimit,
    exposeHeadRoute: hasHead(spec),
    config: {
      stream: Boolean(isEventStream(spec) || spec.upload || spec.binary),
      passesBody: Boolean(spec.openBody),
      ...(spec.upload
        ? { readUpload: createUploadReader(spec.upload), readRaw: rawReaders(spec.upload) }
        : {}),
      ...(spec.anyBody ? { readAny: spec.anyBody.read } : {}),
      ...(spec.openAi ? { decorateProblem: openAiError } : {}),
    },
    schema: { response: responseSchemas(spec) },
    onRequest: [
      ...(deprecation ? [setHeaders(deprecation)] : []),
      onResponse ? reportEnd(gate, (request, reply) => onResponse(request, reply, spec)) : gate,
      ...(refuse ? [refuse] : []),
      ...(spec.admitUpload ? [admit(spec, deps)] : []),
    ],
    preParsing: isRead(spec)
      ? [meterLargeBody(largeBodies, spec.bodyLimit ?? BODY_LIMIT, getOwner(deps.getPerson))]
      : [],
    handler(request, reply) {
      if (rest) request.params = { [rest]: (request.params as { '*': string })['*'] };
      if (request.actor) deps.onCall(request, request.actor, spec);
      rejectByBody(spec, deps.storage, request.body);
      const answered = run(request, reply);
      return request.upload ? discardUnclaimedUpload(request.upload, answered) : answered;
    },
  });
}

function registerOthers(api: FastifyInstance, path: string, specs: OperationSpec[], cors: Cors): void {
  const taken = new Set<string>(specs.map(({ method }) => method));
  if (specs.some(hasHead)) taken.add('HEAD');
  const allow = [...METHODS.filter((method) => taken.has(method)), 'OPTIONS'].join(', ');
  const url = routerPath(path);
  api.route({
    method: 'OPTIONS',
    url,
    async handler(request: FastifyRequest, reply: FastifyReply) {
      await cors.preflight(request, reply);
      return reply.code(204).header('allow', allow).send();
    },
  });
  api.route({
    method: METHODS.filter((method) => !taken.has(method)),
    url,
    exposeHeadRoute: false,
    config: specs.some(({ openAi }) => openAi) ? { decorateProblem: openAiError } : {},
    onRequest(request, _reply, done) {
      done(
        new Problem('method_not_allowed', `${request.method} is not supported here.`, { headers: { allow } }),
      );
    },
    handler: () => undefined,
  });
}

/** Applies CORS to every response below the prefix, even without an operation, so that pages can read errors. */
const applyCors =
  (cors: Cors) =>
  (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    const applied = cors.apply(request, reply);
    if (applied === true) done();
    else applied.then(() => done(), done);
  };

const isPreflight = ({ method, headers }: FastifyRequest): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;

const isOpenAiRequest = ({ url }: FastifyRequest): boolean => isOpenAiPath(url.slice(API_PREFIX.length));

const decorateProblem = (problem: Problem, request: FastifyRequest): object =>
  isOpenAiRequest(request) ? openAiError(problem) : {};

/** Responds to API paths that Fastify can't route like to paths without an operation. */
const respondToUnroutable =
  (cors: Cors): NonNullable<FastifyInstance['onUnroutable']> =>
  async (request, reply, problem) => {
    if (!request.url.startsWith(`${API_PREFIX}/`)) return {};
    if (isPreflight(request)) {
      await cors.preflight(request, reply);
      void reply.code(204).send();
      return null;
    }
    await cors.apply(request, reply);
    return decorateProblem(problem, request);
  };

/** Lists the operations for OpenAI's clients, whose API has many more. */
function listOpenAiOperations(operations: readonly Operation[]): string {
  const names = operations
    .filter(({ spec }) => spec.openAi)
    .map(({ spec: { method, path } }) => `${method} ${API_PREFIX}${path.replace('*}', '}')}`);
  return `Of OpenAI's API, Fairlead has ${new Intl.ListFormat('en').format(names)}.`;
}

/** Handles paths without an operation. Preflights succeed here too: otherwise the browser would hide the 404. */
function registerUnknown(api: FastifyInstance, cors: Cors, operations: readonly Operation[]): void {
  const others = listOpenAiOperations(operations);
  const refuse = (request: FastifyRequest): never => {
    const problem = nothingAt(request);
    throw isOpenAiRequest(request) ? new Problem(problem.code, `${problem.message} ${others}`) : problem;
  };
  const route = { url: '/*', config: { decorateProblem } };
  api.route({
    ...route,
    method: [...METHODS],
    exposeHeadRoute: false,
    onRequest: async (request) => refuse(request),
    handler: refuse,
  });
  api.route({
    ...route,
    method: 'OPTIONS',
    async handler(request, reply) {
      if (!isPreflight(request)) refuse(request);
      await cors.preflight(request, reply);
      return reply.code(204).send();
    },
  });
}

export function registerOperations(
  app: FastifyInstance,
  operations: Operation[],
  given: Omit<RegisterDeps, 'operations'>,
): void {
  const deps: RegisterDeps = { ...given, operations };
  app.decorateRequest('actor', null);
  app.decorate('onUnroutable', respondToUnroutable(deps.cors));
  app.register(
    async (api) => {
      api.addHook('onRequest', applyCors(deps.cors));
      registerUnknown(api, deps.cors, operations);
      const byPath = Map.groupBy(operations, ({ spec }) => spec.path);
      const largeBodies = createLargeBodies();
      const getOwnerOf = getOwner(deps.getPerson);
      addJsonParser(api, async (request) => {
        const { person, workspace } = await getOwnerOf(request);
        return [person, workspace];
      });
      readForms(api, new Set(operations.flatMap(({ spec }) => spec.upload?.raw ?? [])));
      const [readers, others] = [true, false].map((reads) =>
        operations.filter(({ spec }) => (spec.anyBody !== undefined) === reads),
      );
      for (const operation of others!) registerOne(api, operation, deps, largeBodies);
      await api.register(async (scope) => {
        readThemselves(scope);
        for (const operation of readers!) registerOne(scope, operation, deps, largeBodies);
      });
      for (const [path, group] of byPath)
        registerOthers(
          api,
          path,
          group.map(({ spec }) => spec),
          deps.cors,
        );
    },
    { prefix: API_PREFIX },
  );
}
