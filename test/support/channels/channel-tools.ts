/**
 * Emulators of channels by others, and a server of published API descriptions, each a process on loopback. They are not
 * dependencies, because they bring hundreds of packages and one under the GPL: CHANNEL_TOOLS_DIR names the directory in
 * which CONTRIBUTING.md says how to install them. An emulator is not the vendor: say so where results are published.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { startTool, type ToolProcess } from '../tool-process.ts';

const FOLDER = resolve(process.env['CHANNEL_TOOLS_DIR'] ?? '');
const PACKAGES = join(FOLDER, 'node_modules');
const EMULATOR = join(import.meta.dirname, 'tools/emulator.mjs');

/** For `needs`. */
export const CHANNEL_TOOLS = 'emulators of channels, in the directory that CHANNEL_TOOLS_DIR names';
export const HAS_CHANNEL_TOOLS =
  process.env['CHANNEL_TOOLS_DIR'] !== undefined && existsSync(join(PACKAGES, 'emulate'));

/** Returns the text of a published API description. @param name as `twilio-api-v2010.json`: see vendor-apis/README.md */
export const readVendorApi = (name: string): string =>
  zstdDecompressSync(readFileSync(join(import.meta.dirname, 'vendor-apis', `${name}.zst`))).toString();

export interface Emulator<About> extends ToolProcess {
  /** What it reports about itself: addresses, tokens. */
  about: About;
}

async function startEmulator<About>(
  program: 'crabline' | 'emulate',
  options: (port: number) => object,
): Promise<Emulator<About>> {
  const tool = await startTool({
    folder: FOLDER,
    args: (port) => [EMULATOR, FOLDER, program, JSON.stringify(options(port))],
    ready: /^\{.*\}\n/m,
  });
  const [line] = /^\{.*\}$/m.exec(tool.output())!;
  return { ...tool, about: JSON.parse(line) as About };
}

/** What each server of crabline reports; there is more. */
export interface CrablineManifest {
  baseUrl: string;
  /** For `endpoints.adminInboundUrl`, in the header `X-Crabline-Admin-Token`. */
  adminToken: string;
  endpoints: { adminInboundUrl: string; apiRoot: string };
  /** A JSON line for each request that it received. */
  recorderPath: string;
}
export interface CrablineTelegram extends CrablineManifest {
  botToken: string;
}
export interface CrablineWhatsApp extends CrablineManifest {
  accessToken: string;
  graphVersion: string;
  phoneNumberId: string;
}
interface CrablineChannels {
  telegram: CrablineTelegram;
  whatsapp: CrablineWhatsApp;
}

/**
 * Starts a server of @openclaw/crabline.
 * @param options of its `startCrablineServer`; `recorderPath` should lie in a temporary directory
 */
export const startCrabline = <Channel extends keyof CrablineChannels>(
  channel: Channel,
  options: { recorderPath: string; port?: number; [name: string]: unknown },
): Promise<Emulator<CrablineChannels[Channel]>> =>
  startEmulator('crabline', (port) => ({ channel, host: '127.0.0.1', port, ...options }));

/**
 * Starts a service of `emulate`.
 * @param seed its initial state, as the key of the service in emulate's configuration
 * @param fixed its port, to start it again; by default, a free one
 */
export const startEmulate = (
  service: 'twilio' | 'slack',
  seed: object,
  fixed?: number,
): Promise<Emulator<{ url: string }>> =>
  startEmulator('emulate', (free) => {
    const port = fixed ?? free;
    const baseUrl = `http://127.0.0.1:${port}`;
    return { service, hostname: '127.0.0.1', port, seed: { [service]: seed }, baseUrl };
  });

/**
 * Starts Prism, which validates each request against an OpenAPI description (422 where it violates it) and returns its
 * examples.
 * @param document path of the description
 * @param checksExamples also whether its own examples match the description (500 where they don't)
 */
export async function startPrism(
  document: string,
  checksExamples = true,
): Promise<ToolProcess & { url: string }> {
  const tool = await startTool({
    folder: FOLDER,
    args: (port) => [
      join(PACKAGES, '@stoplight/prism-cli/dist/index.js'),
      'mock',
      document,
      '--host=127.0.0.1',
      `--port=${port}`,
      ...(checksExamples ? ['--errors'] : []),
    ],
    ready: /Prism is listening/,
  });
  return { ...tool, url: `http://127.0.0.1:${tool.port}` };
}

/** Returns the installed versions, for `Harness.versions`. */
export const toolVersion = async (name: string): Promise<string> => {
  const { default: about } = (await import(join(PACKAGES, name, 'package.json'), {
    with: { type: 'json' },
  })) as { default: { version: string } };
  return `${name} ${about.version}`;
};
