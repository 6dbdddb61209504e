/** An OTLP/HTTP receiver that decodes the spans it gets, for tests of tracing. */
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | null;
  name: string;
  kind: number;
  attributes: Record<string, unknown>;
  isError: boolean;
  durationMs: number;
}

interface OtlpValue {
  stringValue?: string;
  intValue?: number | string;
  doubleValue?: number;
  boolValue?: boolean;
  arrayValue?: { values: OtlpValue[] };
}
interface OtlpAttribute {
  key: string;
  value: OtlpValue;
}
interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: OtlpAttribute[];
  status: { code?: number };
}
interface OtlpBody {
  resourceSpans: {
    resource: { attributes: OtlpAttribute[] };
    scopeSpans: { spans: OtlpSpan[] }[];
  }[];
}

const toValue = (value: OtlpValue): unknown => {
  if (value.arrayValue) return value.arrayValue.values.map(toValue);
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.doubleValue ?? value.boolValue;
};
const toAttributes = (all: OtlpAttribute[]): Record<string, unknown> =>
  Object.fromEntries(all.map(({ key, value }) => [key, toValue(value)]));

const toSpan = (span: OtlpSpan): ReceivedSpan => ({
  traceId: span.traceId,
  spanId: span.spanId,
  parentSpanId: span.parentSpanId || null,
  name: span.name,
  kind: span.kind,
  attributes: toAttributes(span.attributes),
  isError: span.status.code === 2,
  durationMs: Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e6,
});

export interface OtlpReceiver {
  url: string;
  spans: ReceivedSpan[];
  /** Bodies as received. */
  bodies: string[];
  /** Of the last export. */
  headers: IncomingHttpHeaders;
  path: string;
  resource: Record<string, unknown>;
  stop(): Promise<void>;
}

/** @param respond replaces the response; the export is not decoded then */
export async function startOtlpReceiver(respond?: RequestListener): Promise<OtlpReceiver> {
  const server = createServer((request, response) => {
    if (respond) return respond(request, response);
    return void text(request).then((body) => {
      const { resourceSpans } = JSON.parse(body) as OtlpBody;
      receiver.bodies.push(body);
      receiver.headers = request.headers;
      receiver.path = request.url ?? '';
      for (const { resource, scopeSpans } of resourceSpans) {
        receiver.resource = toAttributes(resource.attributes);
        receiver.spans.push(...scopeSpans.flatMap(({ spans }) => spans.map(toSpan)));
      }
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: OtlpReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    bodies: [],
    headers: {},
    path: '',
    resource: {},
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}
