/**
 * A span for each request, except those of health checks and metrics. Handlers run with it as the current span. It has
 * the pattern of the route, never the path, which contains IDs and what callers typed.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Span } from '../tracing/span.ts';
import { startTrace, withSpan } from '../tracing/tracing.ts';
import { readTraceparent } from '../tracing/traceparent.ts';

/** Asked every few seconds. */
const UNTRACED = /^\/(healthz|readyz|metrics)$/;

export function addServerSpans(app: FastifyInstance): void {
  const spans = new WeakMap<FastifyRequest, Span>();
  app.addHook('onRequest', (request, reply, done) => {
    const { method, headers, routeOptions } = request;
    const route = routeOptions.url;
    if (route !== undefined && UNTRACED.test(route)) return done();
    const span = startTrace(
      route ? `${method} ${route}` : method,
      'server',
      readTraceparent(headers.traceparent),
    );
    if (!span) return done();
    spans.set(request, span);
    span.set({
      'http.request.method': method,
      'http.route': route,
      'url.scheme': request.protocol,
      'fairlead.request.id': request.id,
    });
    // Not onResponse, which is not called if the caller leaves.
    reply.raw.once('close', () => {
      if (reply.raw.headersSent) span.set({ 'http.response.status_code': reply.raw.statusCode });
      if (!reply.raw.writableFinished) span.fail('canceled');
      else if (reply.raw.statusCode >= 500) span.fail(request.problemCode ?? String(reply.raw.statusCode));
      span.end();
    });
    return done();
  });
  // Not in onRequest: after it, the body is read in the context of its socket.
  app.addHook('preHandler', (request, _reply, done) => {
    // Null for a request that isn't sampled: its connection may keep the context of an earlier one.
    withSpan(spans.get(request) ?? null, done);
  });
}
