/** What a browser loads at the first visit of each page of the console. */
import { CONSOLE_FOLDER } from '../../src/platform/program-folder.ts';
import { firstLoads } from '../../src/app/console/first-load.ts';
import type { Bench } from '../support/figure.ts';

const MAX_KB = 150;

export const consoleSize: Bench = async () => {
  const pages = [...firstLoads(CONSOLE_FOLDER)].map(([page, { bytes }]) => ({
    page,
    kilobytes: bytes / 1000,
  }));
  const sorted = pages.toSorted((a, b) => b.kilobytes - a.kilobytes);
  const heaviest = sorted[0]!.kilobytes;
  return {
    title: 'Console, first load',
    method:
      'JavaScript loaded on the first visit to a page: the entry, the frame, the page and all their imports; gzipped.',
    columns: ['page', 'kB'],
    rows: sorted.map(({ page, kilobytes }) => [`\`${page}\``, kilobytes.toFixed(1)]),
    targets: [
      {
        text: `${heaviest.toFixed(1)} kB for the heaviest page (target: at most ${MAX_KB}).`,
        met: heaviest <= MAX_KB,
      },
    ],
    values: { firstLoad: heaviest },
  };
};
