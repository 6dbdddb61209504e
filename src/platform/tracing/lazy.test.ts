import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
/** Imports the server and starts tracing as it does. Prints the packages of OpenTelemetry's SDK that were loaded. */
const PROGRAM = `
  import { registerHooks } from 'node:module';
  const loaded = new Set();
  registerHooks({
    load(url, context, next) {
      const [name] = /@opentelemetry\\/(sdk|exporter|otlp|resources)[\\w-]*/.exec(url) ?? [];
      if (name) loaded.add(name);
      return next(url, context);
    },
  });
  await import('./src/app/create-app.ts');
  const { readConfig } = await import('./src/platform/config/config.ts');
  const { getTracingSettings } = await import('./src/platform/tracing/tracing-settings.ts');
  const { startTracing } = await import('./src/platform/tracing/tracing.ts');
  const stop = await startTracing(getTracingSettings(readConfig(process.env), '1'), console);
  await stop();
  console.log(JSON.stringify([...loaded].sort()));
`;

async function loadedWith(env: Record<string, string>): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'] ?? '', ...env },
  });
  return JSON.parse(stdout) as string[];
}

test('the exporter is loaded only if there is an endpoint', async () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
  expect(await loadedWith({})).toEqual([]);
  expect(await loadedWith({ ...endpoint, OTEL_SDK_DISABLED: 'true' })).toEqual([]);
  expect(await loadedWith(endpoint)).toEqual(
    expect.arrayContaining(['@opentelemetry/exporter-trace-otlp-http', '@opentelemetry/sdk-trace']),
  );
});
