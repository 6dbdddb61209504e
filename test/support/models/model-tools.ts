/**
 * Models and gateways by others, each a process on loopback. They are not dependencies, because they bring hundreds of
 * packages: MODEL_TOOLS_DIR names the folder in which CONTRIBUTING.md says how to install them.
 */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { temporaryFolder } from '../temporary-folder.ts';
import { startTool, type Tool, type ToolProcess } from '../tool-process.ts';
import type { LlamaState } from './llama-server.ts';
import { tinyGguf } from './tiny-gguf.ts';

const FOLDER = resolve(process.env['MODEL_TOOLS_DIR'] ?? '');
const PACKAGES = join(FOLDER, 'node_modules');
export const MODEL_TOOLS = 'models and gateways, in the folder that MODEL_TOOLS_DIR names';
export const hasTool = (name: string): boolean =>
  process.env['MODEL_TOOLS_DIR'] !== undefined && existsSync(join(PACKAGES, name));
export const HAS_PORTKEY = hasTool('@portkey-ai/gateway');
export const HAS_MODEL_TOOLS = hasTool('node-llama-cpp');

const SEED = 1;

/** Loads a package of the folder. Its types are not installed. @param file its entry point, relative to the package */
export const importTool = async <T>(name: string, file: string): Promise<T> =>
  (await import(pathToFileURL(join(PACKAGES, name, file)).href)) as T;

export interface ModelServer extends ToolProcess {
  /** Base URL of its OpenAI API. */
  url: string;
}

type Program = Omit<Tool, 'folder'>;

/** @throws Error with its output if it ends, or isn't ready in time */
async function start(program: Program): Promise<ModelServer> {
  const tool = await startTool({ folder: FOLDER, ...program });
  return { ...tool, url: `http://127.0.0.1:${tool.port}/v1` };
}

export interface Llama extends ModelServer {
  state(): Promise<LlamaState>;
}

/** Starts a real model behind OpenAI's API: llama.cpp with weights that are written here. */
export async function startLlama(): Promise<Llama> {
  const folder = await temporaryFolder('llama-');
  try {
    const model = join(folder.path, 'tiny.gguf');
    await writeFile(model, tinyGguf(SEED));
    const program = join(import.meta.dirname, 'llama-server.ts');
    const server = await start({
      args: (port) => [program, FOLDER, model, String(port)],
      ready: '/state',
    });
    return {
      ...server,
      state: async () => (await (await fetch(`http://127.0.0.1:${server.port}/state`)).json()) as LlamaState,
      async [Symbol.asyncDispose]() {
        await server[Symbol.asyncDispose]();
        await folder[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await folder[Symbol.asyncDispose]();
    throw error;
  }
}

/** Starts @dwmkerr/mock-llm, which answers with the user's last message, or as its rules say. */
export const startMockLlm = (): Promise<ModelServer> =>
  start({
    args: () => [join(PACKAGES, '@dwmkerr/mock-llm/dist/main.js')],
    env: (port) => ({ HOST: '127.0.0.1', PORT: String(port) }),
    ready: '/ready',
  });

/**
 * Starts @portkey-ai/gateway, which sends calls on to what their headers name. With a newer @hono/node-server than the one
 * that tools/package.json names, each of its streams fails ("TypeError: immutable").
 * @param on returns the command that runs another, such as on one core
 */
export const startPortkey = (
  on: (...command: [string, ...string[]]) => string[] = (...command) => command,
): Promise<ModelServer> =>
  start({
    program: on(process.execPath)[0],
    args: (port) => [
      ...on(process.execPath).slice(1),
      '--import',
      pathToFileURL(join(import.meta.dirname, 'loopback-only.mjs')).href,
      join(PACKAGES, '@portkey-ai/gateway/build/start-server.js'),
      `--port=${port}`,
      '--headless',
    ],
    ready: '/',
  });

/** Headers by which Portkey's gateway sends a call to another upstream. @param url its base URL */
export const portkeyHeaders = (url: string): Record<string, string> => ({
  'x-portkey-provider': 'openai',
  'x-portkey-custom-host': url,
});
