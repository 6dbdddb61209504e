/** For tests of operator's commands: what a command says. */
import { Readable } from 'node:stream';
import type { Terminal as LongTerminal } from '../../src/ops/command/command.ts';
import type { Terminal } from '../../src/ops/command/terminal.ts';

export interface Said {
  code: number;
  out: string;
  error: string;
}

/** Runs a command with a terminal that keeps what it is told, and where nobody types Ctrl-C. */
export async function said(
  command: (terminal: Terminal & LongTerminal) => Promise<number>,
  input: string | Buffer = '',
): Promise<Said> {
  const lines = { out: [] as string[], error: [] as string[] };
  const code = await command({
    out: (text) => void lines.out.push(text),
    error: (text) => void lines.error.push(text),
    input: Readable.from([Buffer.from(input)]),
    signal: new AbortController().signal,
  });
  return { code, out: lines.out.join('\n'), error: lines.error.join('\n') };
}
