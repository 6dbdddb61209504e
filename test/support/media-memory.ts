/** How much memory a server takes while a large file goes through it. Linux: read from /proc. */
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { openAccount } from './account.ts';
import type { Product } from './product.ts';

/** Long enough for what the start has left to be collected. */
const SETTLE_MS = 2_000;
const CHUNK = Buffer.alloc(64 * 1024, 'fairlead');
const HEAD = '--cut\r\ncontent-disposition: form-data; name="file"; filename="large.bin"\r\n\r\n';
const TAIL = '\r\n--cut--\r\n';

export interface Rise {
  /** Bytes (of 10^6) by which the peak of resident memory was above what it was before. */
  megabytes: number;
  seconds: number;
}

const kilobytes = (pid: number, name: 'VmRSS' | 'VmHWM'): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);

/** @returns by how much the peak of `pid` rose while `work` ran, and what it gave */
async function during<T>(pid: number, work: () => Promise<T>): Promise<[Rise, T]> {
  await delay(SETTLE_MS);
  writeFileSync(`/proc/${pid}/clear_refs`, '5'); // the peak begins anew
  const before = kilobytes(pid, 'VmRSS');
  const startedAt = performance.now();
  const result = await work();
  const seconds = (performance.now() - startedAt) / 1000;
  return [{ megabytes: ((kilobytes(pid, 'VmHWM') - before) * 1024) / 1e6, seconds }, result];
}

/** Sends a form whose file is made on the way. @returns the media's ID */
function upload({ base }: Product, key: string, bytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request(`${base}/api/v1/media`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'multipart/form-data; boundary=cut',
        'content-length': HEAD.length + bytes + TAIL.length,
      },
    });
    call.on('error', reject).on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => {
        const { id, size } = JSON.parse(text) as { id: string; size: number };
        if (response.statusCode === 201 && size === bytes) resolve(id);
        else reject(new Error(`the upload was answered ${response.statusCode}: ${text}`));
      });
    });
    call.write(HEAD);
    let left = bytes;
    const more = (): void => {
      while (left > 0) {
        const piece = CHUNK.subarray(0, Math.min(CHUNK.length, left));
        left -= piece.length;
        if (!call.write(piece)) return void call.once('drain', more);
      }
      call.end(TAIL);
    };
    more();
  });
}

async function download({ base }: Product, key: string, id: string, bytes: number): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${base}/api/v1/media/${id}/content`, { headers });
  let received = 0;
  for await (const chunk of response.body!) received += chunk.length;
  if (response.status !== 200 || received !== bytes)
    throw new Error(`the download was answered ${response.status} with ${received} bytes`);
}

/** One upload and one download of a file of that size, on a server that has served small ones before. */
export async function getRise(product: Product, bytes: number): Promise<{ upload: Rise; download: Rise }> {
  const { secret: key } = await (await openAccount(product.base)).createKey({ preset: 'full' });
  for (let round = 0; round < 3; round++)
    await download(product, key, await upload(product, key, 1000), 1000);
  const [up, id] = await during(product.pid, () => upload(product, key, bytes));
  const [down] = await during(product.pid, () => download(product, key, id, bytes));
  return { upload: up, download: down };
}
