/**
 * Node-RED as its users run it: a process of its own, flows deployed through its Admin API. It is no dependency, for it
 * brings hundreds of packages: NODE_RED_DIR names a folder in which `npm install node-red@…` was run.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const PROGRAM = resolve(process.env['NODE_RED_DIR'] ?? '', 'node_modules/node-red/red.js');
const SETTINGS = join(import.meta.dirname, 'node-red-settings.cjs');
export const HAS_NODE_RED = process.env['NODE_RED_DIR'] !== undefined && existsSync(PROGRAM);
/** It writes this where it wants to reach anything but this machine, which its settings refuse. */
export const OUTSIDE = 'OUTSIDE';

const READY_WITHIN_MS = 120_000;
const STOPS_WITHIN_MS = 5_000;
const POLL_MS = 20;

/** A node of a flow, a tab too, as an export of Node-RED has it. */
export interface FlowNode {
  id: string;
  type: string;
  [property: string]: unknown;
}

export interface NodeRed {
  /** Where its `http in` nodes are. */
  base: string;
  /** Replaces all flows; they run when this is done. @throws Error with its answer when it refuses */
  deploy(nodes: FlowNode[]): Promise<void>;
  /** What it wrote on standard output and error. */
  output(): string;
  /** SIGTERM, then SIGKILL where that is not enough, and the wait for its end; nothing where it has ended. */
  stop(): Promise<void>;
}

/**
 * @param userDir where it keeps flows; a start with the same one runs them again
 * @throws Error with what it wrote when it ends, or isn't ready in time
 */
export async function startNodeRed(userDir: string, port: number): Promise<NodeRed> {
  const base = `http://127.0.0.1:${port}`;
  const child = spawn(
    process.execPath,
    [PROGRAM, '--settings', SETTINGS, '--userDir', userDir, '--port', String(port)],
    // Nothing of this process's environment; and where this process dies, standard input ends, and so does it.
    { cwd: userDir, env: { HOME: userDir, PATH: process.env['PATH'] }, stdio: ['pipe', 'pipe', 'pipe'] },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = once(child, 'exit');
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;

  const stop = async (): Promise<void> => {
    if (!isRunning()) return;
    child.kill('SIGTERM');
    const forced = setTimeout(() => child.kill('SIGKILL'), STOPS_WITHIN_MS);
    await ended;
    clearTimeout(forced);
  };

  // It listens, and answers a deployment, before its flows run; of that only its log tells.
  const starts = (): number => output.split('Started flows').length - 1;
  const ready = async (times: number): Promise<void> => {
    const until = performance.now() + READY_WITHIN_MS;
    while (!output.includes('Server now running') || starts() < times) {
      if (!isRunning()) throw new Error(`Node-RED ended:\n${output}`);
      if (performance.now() > until) {
        await stop();
        throw new Error(`Node-RED did not start its flows in time:\n${output}`);
      }
      await delay(POLL_MS);
    }
  };
  await ready(1);

  return {
    base,
    output: () => output,
    stop,
    async deploy(nodes) {
      const before = starts();
      const response = await fetch(`${base}/admin/flows`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'node-red-deployment-type': 'full' },
        body: JSON.stringify(nodes),
      });
      if (response.status !== 204)
        throw new Error(`Node-RED refused the flow: ${response.status} ${await response.text()}`);
      await ready(before + 1);
    },
  };
}
