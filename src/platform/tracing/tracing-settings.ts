/** Where and how traces are exported, from OpenTelemetry's settings. */
import type { Config } from '../config/config.ts';

export interface Sampling {
  /** Whether the caller's decision is followed if it sends one. */
  isParentBased: boolean;
  /** Share of other traces, from 0 to 1. */
  ratio: number;
}

export interface TracingSettings {
  /** Without user information, which is in `headers`. */
  url: string;
  /** Secret. */
  headers: Record<string, string>;
  timeoutMs: number;
  resource: Record<string, string>;
  sampler: Sampling;
  /** Opt-ins to newer attribute names. */
  stability: readonly string[];
}

type Settings = Pick<Config, Extract<keyof Config, `OTEL_${string}`>>;

function getSampling({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: share }: Settings): Sampling {
  const root = name.replace('parentbased_', '');
  const ratio = root === 'always_on' ? 1 : root === 'always_off' ? 0 : share;
  return { isParentBased: root !== name, ratio };
}

/** Returns a text that is not percent-encoded as it is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns null if no traces are exported. @param version of the program */
export function getTracingSettings(config: Settings, version: string): TracingSettings | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: exact } = config;
  if (config.OTEL_SDK_DISABLED || (exact === null && base === null)) return null;
  const url = new URL(exact ?? base!);
  if (exact === null) url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/traces`;
  const { username, password } = url;
  url.username = '';
  url.password = '';
  const credentials = `${decode(username)}:${decode(password)}`;
  const basic = username || password ? `Basic ${Buffer.from(credentials).toString('base64')}` : null;
  return {
    url: url.href,
    headers: { ...(basic ? { authorization: basic } : {}), ...config.OTEL_EXPORTER_OTLP_HEADERS },
    timeoutMs: config.OTEL_EXPORTER_OTLP_TIMEOUT,
    resource: {
      'service.name': 'fairlead',
      'service.version': version,
      ...config.OTEL_RESOURCE_ATTRIBUTES,
      ...(config.OTEL_SERVICE_NAME === null ? {} : { 'service.name': config.OTEL_SERVICE_NAME }),
    },
    sampler: getSampling(config),
    stability: config.OTEL_SEMCONV_STABILITY_OPT_IN,
  };
}
