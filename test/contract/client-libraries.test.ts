/**
 * Client libraries get through Fairlead what they get from the provider: each call is made at both, and what the library
 * returns or throws, and what the provider receives, must be equal.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { DIFFERENCES, withoutUsageOption } from '../support/models/clients/client-differences.ts';
import { CLIENT_LIBRARIES, HAS_CLIENT_LIBRARIES } from '../support/models/clients/client-libraries.ts';
import { type ClientCalls, getOutcome } from '../support/models/clients/client-outcome.ts';
import { type ClientProvider, startClientProvider } from '../support/models/clients/client-provider.ts';
import { MODEL_TOOLS } from '../support/models/model-tools.ts';
import { type ModelWorld, startModelWorld } from '../support/models/model-world.ts';
import { needs } from '../support/needs.ts';

const SLUG = 'library';
/** Replaces the calls of a library that is not installed. */
const NO_CALLS: ClientCalls = { 'each call': async () => null };
const LEAVES = /left|aborted|times out/;

describe('client libraries', needs(MODEL_TOOLS, HAS_CLIENT_LIBRARIES), () => {
  let world: ModelWorld;
  let provider: ClientProvider;
  beforeAll(async () => {
    vi.stubGlobal('AI_SDK_LOG_WARNINGS', false);
    provider = await startClientProvider();
    world = await startModelWorld();
    await world.createProvider({ slug: SLUG, base_url: provider.url });
  });
  afterAll(async () => {
    vi.unstubAllGlobals();
    await world?.stop();
    await provider?.[Symbol.asyncDispose]();
  });

  for (const { name, api, load } of CLIENT_LIBRARIES)
    describe(`${name}${api ? `, ${api}` : ''}`, async () => {
      const calls = HAS_CLIENT_LIBRARIES ? await load() : NO_CALLS;
      test.each(Object.entries(calls))('%s', async (title, call) => {
        const options = { isLeft: LEAVES.test(title) };
        const direct = await getOutcome(
          call,
          { url: provider.url, apiKey: 'not-checked', prefix: '' },
          provider,
          options,
        );
        if (!title.startsWith('models.')) expect(direct.received).not.toEqual([]);
        const place = { url: world.url, apiKey: world.home.key, prefix: `${SLUG}/` };
        const through = withoutUsageOption(await getOutcome(call, place, provider, options), direct);
        const difference = DIFFERENCES.find(({ calls: titles }) => titles.test(`${name}: ${title}`));
        if (difference) {
          expect(through).not.toEqual(direct);
          expect(JSON.stringify(through.result)).toContain(difference.shows);
        } else expect(through).toEqual(direct);
      });
    });
});

test('docs/model-calls.md names the versions of the libraries', async () => {
  const root = join(import.meta.dirname, '../..');
  const tools = await readFile(join(root, 'test/support/models/tools/package.json'), 'utf8');
  const { dependencies } = JSON.parse(tools) as { dependencies: Record<string, string> };
  const page = await readFile(join(root, 'docs/model-calls.md'), 'utf8');
  for (const name of new Set(['ai', ...CLIENT_LIBRARIES.map((library) => library.name)])) {
    const version = dependencies[name]!.replace(/^.*@/, '');
    expect(page).toContain(`| \`${name.replace(/-\d$/, '')}\` ${version} |`);
  }
});
