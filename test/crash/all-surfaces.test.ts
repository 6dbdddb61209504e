/** All surfaces under load at once, in the short form; `npm run soak -- all` is the long one, which measures too. */
import { expect, test } from 'vitest';
import { needs } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { runAllSurfaces, TOGETHER } from '../support/all-surfaces/run.ts';

const LINUX = needs('Linux', process.platform === 'linux');
const SECONDS = 6;
const RATES = { redirects: 60, sends: 6, changes: 6, publishing: 4, console: 6 };

test(
  'visits, messages, changes, publications and the console at once: every request is answered, and nothing is lost',
  { timeout: 300_000, ...LINUX },
  async () => {
    await using folder = await temporaryFolder();
    const report = await runAllSurfaces({
      dataDir: folder.path,
      rates: RATES,
      seconds: SECONDS,
      aloneSeconds: 0,
    });
    expect(report.faults).toEqual([]);
    const figures = report.phases.get(TOGETHER)!;
    for (const [name, rate] of Object.entries(RATES))
      expect(figures.get(name as keyof typeof RATES)!.count, name).toBe(rate * SECONDS);
    // A change, a message and a publication each were told of outside and on the stream.
    for (const name of [
      'message delivered',
      'publication published',
      'change at the receiver',
      'change on a stream',
    ] as const)
      expect(figures.get(name)!.count, name).toBeGreaterThan(0);
    expect(report.redirects).toBe(RATES.redirects * SECONDS);
  },
);
