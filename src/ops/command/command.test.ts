/** Tests the terminal output of commands. */
import { afterEach, expect, test, vi } from 'vitest';
import { processTerminal } from './command.ts';
import { table } from './terminal.ts';

afterEach(() => vi.restoreAllMocks());

test('control characters from a file or a server do not reach the terminal', () => {
  const listeners = process.listeners('SIGINT');
  const written: unknown[] = [];
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((text) => written.push(text) > 0);
  try {
    const terminal = processTerminal();
    terminal.out('a\nb\u001b[2J');
    terminal.error('invalid input: "\u009b2J\r"');
    expect(written).toEqual(['a\nb\\u{1b}[2J\n', 'invalid input: "\\u{9b}2J\\u{d}"\n']);
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'])
      for (const listener of process.listeners(signal as 'SIGINT'))
        if (!listeners.includes(listener)) process.off(signal, listener);
  }
});

test('a table may have more rows than a function call can have arguments', () => {
  const lines = table([
    ['NAME', 'ID'],
    ...Array.from({ length: 200_000 }, (_, nth) => [`n${nth}`, 'x']),
  ]).split('\n');
  expect([lines[0], lines.at(-1)]).toEqual(['NAME     ID', 'n199999  x']);
});
