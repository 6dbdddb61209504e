/** The bridges in docs/http-channel.md, as they stand there, each a process on loopback. */
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fencedIn, readPage } from '../../fenced.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { startTool, type ToolProcess } from '../../tool-process.ts';

const BLOCKS = fencedIn(readPage('http-channel.md'));

export const LANGUAGES = {
  TypeScript: {
    file: 'bridge.ts',
    program: process.execPath,
    title: 'Node.js',
    version: process.versions.node,
  },
  Python: {
    file: 'bridge.py',
    program: 'python3',
    title: 'Python',
    version: spawnSync('python3', ['--version'], { encoding: 'utf8' }).stdout?.trim().split(' ')[1] ?? '',
  },
} as const;
export type BridgeLanguage = keyof typeof LANGUAGES;
export const HAS_PYTHON = LANGUAGES.Python.version !== '';

export interface Bridge extends ToolProcess {
  /** For `settings.url`. */
  url: string;
  /** Signals of the channel, as its users would cause them. Resolves once Fairlead has stored them. @throws Error with the response */
  say(instance: string, signals: object[]): Promise<void>;
  /** What Fairlead asked the channel to do. */
  actions(): Promise<Record<string, unknown>[]>;
}

const readBridge = (language: BridgeLanguage): string =>
  BLOCKS.find(({ mark }) => mark === `file=${LANGUAGES[language].file}`)!.text;

/** @param port a fixed one, after a stop */
export async function startBridge(language: BridgeLanguage, secret: string, port?: number): Promise<Bridge> {
  const { file, program } = LANGUAGES[language];
  const folder = await temporaryFolder('bridge-');
  await writeFile(join(folder.path, file), readBridge(language));
  const tool = await startTool({
    folder: folder.path,
    program,
    args: () => [file],
    env: (free) => ({ PORT: String(port ?? free), BRIDGE_SECRET: secret }),
    ready: /listening on \d+/,
  });
  const [, used] = /listening on (\d+)/.exec(tool.output())!;
  const base = `http://127.0.0.1:${used}`;
  const headers = { connection: 'close', 'content-type': 'application/json' };
  return {
    ...tool,
    port: Number(used),
    url: `${base}/fairlead`,
    async say(instance, signals) {
      const path = `${base}/app/signals?instance=${instance}`;
      const answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify(signals) });
      const text = await answer.text();
      if (!answer.ok) throw new Error(text);
    },
    async actions() {
      const answer = await fetch(`${base}/app/actions`, { headers });
      return (await answer.json()) as Record<string, unknown>[];
    },
    async [Symbol.asyncDispose]() {
      await tool[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
