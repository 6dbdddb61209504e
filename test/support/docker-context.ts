/** Which files `docker build` gets from this folder: .dockerignore as its reference says, the last line that fits decides. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './product.ts';

/** A pattern of .dockerignore: `*` within a part of a path, `**` over parts; what lies below a match is meant too. */
function matcher(pattern: string): RegExp {
  const source = pattern
    .replace(/^\/|\/$/g, '')
    .split(/(\*\*\/|\*\*|\*)/)
    .map((piece) => {
      if (piece === '**/') return '(?:.*/)?';
      if (piece === '**') return '.*';
      return piece === '*' ? '[^/]*' : piece.replace(/[.+^${}()|[\]\\?]/g, '\\$&');
    });
  return new RegExp(`^${source.join('')}(?:/.*)?$`);
}

const lines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));

/** @param more files that may lie here beside what is in git: secrets, data */
export function dockerContext(more: string[] = []): string[] {
  const rules = lines(readFileSync(join(ROOT, '.dockerignore'), 'utf8')).map((line) => {
    const isIn = line.startsWith('!');
    return { isIn, fits: matcher(isIn ? line.slice(1) : line) };
  });
  const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
  });
  return [...tracked.split('\n').filter(Boolean), ...more].filter(
    (file) => rules.findLast(({ fits }) => fits.test(file))?.isIn ?? true,
  );
}
