/**
 * The Fastify instance that everything is mounted on: request IDs, host separation, security headers, JSON reading,
 * problem answers. What belongs to API operations alone is in register.ts.
 */
import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Config } from '../config/config.ts';
import { BODY_LIMITS, type BodyLimits, watchBodies } from './body-timeout.ts';
import { closeWithoutWaiting } from './closing.ts';
import { isServedHost } from './hosts.ts';
import { newRequestId, requestIdHeaders } from './ids.ts';
import { addJsonParser } from './json-parser.ts';
import { closeLingering } from './lingering.ts';
import {
  BODY_LIMIT,
  nothingAt,
  getPath,
  type Problem,
  Problem as ProblemError,
  problemBody,
  toProblem,
} from './problem.ts';
import { lazySerializers } from './serialization.ts';
import { addServerSpans } from './server-spans.ts';
import { isTracing } from '../tracing/tracing.ts';
import { assertPlainTarget, toOriginForm } from './request-target.ts';
import {
  assertKnownMethod,
  assertOneHost,
  assertPlainChunks,
  createUnreadableAnswer,
  hasOtherCoding,
  hasSeveralHosts,
} from './unroutable.ts';
import { cutUnread } from './unread.ts';

const SLOW_MS = 1_000;
/**
 * Longer than proxies keep a connection that is idle (nginx 60 s, Traefik 90 s, Caddy 120 s): where this side closed it
 * first, a request that is on its way at that moment would be a 502.
 */
export const KEEP_ALIVE_MS = 130_000;

/** Answered under any host name, as load balancers ask by address. */
const ANY_HOST = /^\/(healthz|readyz|metrics|internal(\/.*)?)$/;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Body of an error for callers that read another form beside problem+json. */
    decorateProblem?: (problem: Problem, request: FastifyRequest) => object;
  }
  interface FastifyRequest {
    /** Code of the error that was sent in response; null for a success. */
    problemCode: string | null;
  }
  interface FastifyInstance {
    /**
     * Does for a path that Fastify can't route what hooks do for all others: sets headers, responds to a preflight.
     * @returns members to add to the problem, or null if the response was sent
     */
    onUnroutable?: (request: FastifyRequest, reply: FastifyReply, problem: Problem) => Promise<object | null>;
  }
}

const misdirected = (host: string): Problem =>
  new ProblemError('misdirected_request', `This server does not serve the host "${host.slice(0, 200)}".`);

/** Fastify makes a child logger for each request, which costs more than many a handler; ours name the ID themselves. */
function withoutChildren(log: FastifyBaseLogger): FastifyBaseLogger {
  const own: FastifyBaseLogger = Object.create(log, { child: { value: () => own } });
  return own;
}

/**
 * Handles requests before Fastify does, without its cost.
 * @param next passes the request on, possibly later
 * @returns whether the request was handled or will be passed on with `next`
 */
export type Before = (request: IncomingMessage, response: ServerResponse, next: () => void) => boolean;

/**
 * Creates Fastify's server with `before` in front of it. A request in absolute form, which `before` declines, is
 * rewritten to origin form and passed again, so that all code sees one form and one host.
 */
function serverWith(
  before: Before,
  options: http.ServerOptions,
  timeouts: Pick<Server, 'keepAliveTimeout' | 'requestTimeout'>,
  unreadMs: number,
) {
  return (handler: (request: IncomingMessage, response: ServerResponse) => void): Server =>
    Object.assign(
      http.createServer(options, (request, response) => {
        const next = (): void => {
          cutUnread(response, unreadMs);
          handler(request, response);
        };
        // Fastify's hooks reject these.
        if (hasSeveralHosts(request) || hasOtherCoding(request)) return next();
        if (before(request, response, next)) return;
        if (toOriginForm(request) && before(request, response, next)) return;
        next();
      }),
      timeouts,
    );
}

/**
 * @param onAnswer called for each response with the route pattern and the duration in milliseconds
 * @param limits how long requests may take to arrive and responses to be read; overridden in tests
 * @param before runs before all routes
 */
export function createServer(
  config: Config,
  log: FastifyBaseLogger,
  onAnswer?: (method: string, route: string, status: number, ms: number) => void,
  limits: BodyLimits = BODY_LIMITS,
  before: Before = () => false,
): FastifyInstance {
  const headers: Record<string, string> = {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    ...(config.baseUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  };
  const served = isServedHost(config);
  const timeouts = { requestTimeout: limits.uploadMs, keepAliveTimeout: KEEP_ALIVE_MS };
  const httpOptions = {
    headersTimeout: limits.idleMs,
    connectionsCheckingInterval: limits.checkMs,
    // Otherwise Node rejects a missing Host header with an empty response.
    requireHostHeader: false,
  };

  const app: FastifyInstance = Fastify({
    loggerInstance: withoutChildren(log),
    genReqId: newRequestId,
    requestIdHeader: false,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: config.TRUST_PROXY.length ? config.TRUST_PROXY : false,
    bodyLimit: BODY_LIMIT,
    schemaController: {
      compilersFactory: {
        buildSerializer: () =>
          lazySerializers((error) => log.error({ err: error }, 'an answer does not fit its schema')),
      },
    },
    ...timeouts,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: 500 },
    http: httpOptions,
    serverFactory: serverWith(before, httpOptions, timeouts, limits.unreadMs),
    clientErrorHandler: createUnreadableAnswer(headers, config.baseUrl),
    frameworkErrors: (routingError, request, rawReply) => {
      const reply = rawReply as unknown as FastifyReply;
      void reply.headers(headers).headers(requestIdHeaders(request.id));
      const send = (problem: Problem, members: object | null = {}): void => {
        if (members === null) return;
        void reply
          .code(problem.status)
          .headers({
            'cache-control': 'no-store',
            'content-type': 'application/problem+json',
            ...problem.headers,
          })
          .send(JSON.stringify({ ...problemBody(problem, request.id, config.baseUrl), ...members }));
      };
      if (!served(request.host)) return send(misdirected(request.host));
      const { problem } = toProblem(routingError);
      if (!app.onUnroutable) return send(problem);
      app.onUnroutable(request as FastifyRequest, reply, problem).then(
        (members) => send(problem, members),
        (error: unknown) => {
          log.error({ request_id: request.id, err: error }, 'request failed');
          send(toProblem(error).problem);
        },
      );
    },
  });
  closeWithoutWaiting(app);
  watchBodies(app.server, limits.idleMs);
  closeLingering(app.server);

  app.decorateRequest('problemCode', null);
  if (isTracing()) addServerSpans(app);
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers).headers(requestIdHeaders(request.id));
    try {
      assertPlainTarget(request.url);
      assertOneHost(request.raw);
      assertPlainChunks(request.raw);
      if (!served(request.host) && !ANY_HOST.test(getPath(request))) throw misdirected(request.host);
      assertKnownMethod(request.method);
      done();
    } catch (error) {
      done(error as Error);
    }
  });

  app.addHook('onResponse', (request, reply, done) => {
    const { url: route = 'none', config: settings } = request.routeOptions;
    const ms = reply.elapsedTime;
    onAnswer?.(request.method, route, reply.statusCode, ms);
    if (ms > SLOW_MS && !settings.stream)
      request.log.warn(
        { request_id: request.id, ms: Math.round(ms), route, status: reply.statusCode },
        'slow request',
      );
    done();
  });

  app.removeContentTypeParser('text/plain');
  addJsonParser(app);

  app.setErrorHandler((error, request, reply) => {
    const { problem, unexpected } = toProblem(error, request.routeOptions.bodyLimit);
    request.problemCode = problem.code;
    if (unexpected)
      request.log.error(
        { request_id: request.id, err: error, route: request.routeOptions.url },
        'request failed',
      );
    const more = request.routeOptions.config?.decorateProblem?.(problem, request) ?? {};
    return reply
      .code(problem.status)
      .headers({ 'cache-control': 'no-store', ...problem.headers })
      .type('application/problem+json')
      .serializer((value: unknown) => JSON.stringify(value))
      .send({ ...problemBody(problem, request.id, config.baseUrl), ...more });
  });

  // An expectation that this server does not know is no reason to refuse (RFC 9110, section 10.1.1).
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));

  app.setNotFoundHandler((request) => {
    throw nothingAt(request);
  });
  return app;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** An answer that stays open; its length of time says nothing. */
    stream?: boolean;
  }
}
