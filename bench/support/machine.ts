/** What a figure was measured on: never its name. */
import { availableParallelism, cpus, release, totalmem, type } from 'node:os';
import { GENERATOR } from './load.ts';

export function machine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  const memory = Math.round(totalmem() / 1024 ** 3);
  return `${availableParallelism()} cores (${model}), ${memory} GiB, ${type()} ${release().split('-')[0]}, Node ${process.versions.node}, load by ${GENERATOR}`;
}

export const today = (): string => new Date().toISOString().slice(0, 10);
