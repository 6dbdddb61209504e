/** Memory that the server takes while a large file goes in, and out again. */
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { type Rise, getRise } from '../../test/support/media-memory.ts';
import { startProduct } from '../../test/support/product.ts';
import { type Bench, median } from '../support/figure.ts';

const MB = 1e6;
const FILE_MB = 60;
const MAX_MB = 20;

async function once(bytes: number): Promise<{ upload: Rise; download: Rise }> {
  await using folder = await temporaryFolder();
  const product = await startProduct({ dataDir: folder.path });
  try {
    return await getRise(product, bytes);
  } finally {
    await product.stop();
  }
}

export const media: Bench = async ({ quick, report }) => {
  const runs = [];
  for (let run = 0; run < (quick ? 1 : 5); run++) {
    const rises = await once(FILE_MB * MB);
    report(
      `media: upload ${rises.upload.megabytes.toFixed(1)} MB, download ${rises.download.megabytes.toFixed(1)} MB`,
    );
    runs.push(rises);
  }
  const row = (name: string, rises: Rise[]) => [
    name,
    median(rises.map(({ megabytes }) => megabytes)).toFixed(1),
    Math.max(...rises.map(({ megabytes }) => megabytes)).toFixed(1),
    median(rises.map(({ seconds }) => seconds)).toFixed(2),
  ];
  const uploads = runs.map(({ upload }) => upload);
  const downloads = runs.map(({ download }) => download);
  const max = Math.max(...[...uploads, ...downloads].map(({ megabytes }) => megabytes));
  return {
    title: 'Memory of a large file',
    method: `A ${FILE_MB} MB file is uploaded and downloaded once each over loopback, at full speed, on a server that has served small files. Measured is the increase of the server's peak resident memory (VmHWM, reset before each). ${runs.length} runs, each on a new server.`,
    columns: ['', 'MB, median', 'MB, most', 'seconds'],
    rows: [row('upload', uploads), row('download', downloads)],
    targets: [{ text: `${max.toFixed(1)} MB at most (target: less than ${MAX_MB}).`, met: max < MAX_MB }],
  };
};
