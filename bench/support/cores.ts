/** Which cores the server and the load run on: apart where there are two and `taskset` can keep them so. */
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

const APART = availableParallelism() >= 2 && spawnSync('taskset', ['--version']).status === 0;

type Command = [string, ...string[]];

const pinned = (core: number, command: Command): Command =>
  APART ? ['taskset', '-c', String(core), ...command] : command;

/** The server's core; for a counterpart too. */
export const onServerCore = (...command: Command): Command => pinned(0, command);
export const onLoadCore = (...command: Command): Command => pinned(1, command);

export const WHERE = APART
  ? 'server and load generator each on a separate core'
  : 'server and load on the same cores';
