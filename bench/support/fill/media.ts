/** Files of mixed sizes and kinds, of bytes that nobody can guess or compress; every tenth is there twice. */
import { createCipheriv } from 'node:crypto';
import { succeeded } from '../../../test/support/account.ts';
import { seeded } from '../../../test/support/click-load.ts';
import { type FillWorld, inLanes, type Place } from './fill-world.ts';

const MB = 1024 * 1024;
const [SMALLEST, MIDDLE, LARGEST] = [2 * 1024, MB, 48 * MB];
/** What the sandbox takes for an image. */
const MAX_OF_IMAGE = 16 * MB;
const LANES = 2;
const KINDS: readonly { name: string; head: Buffer }[] = [
  { name: 'picture.gif', head: Buffer.from('GIF89a') },
  { name: 'photo.jpg', head: Buffer.from([0xff, 0xd8, 0xff, 0xe0]) },
  { name: 'data.bin', head: Buffer.alloc(0) },
];

export interface Filed {
  images: string[];
  others: string[];
}

/** The same bytes for the same numbers. */
function toBytes(seed: number, at: number, size: number): Buffer {
  const key = Buffer.alloc(16);
  key.writeUInt32LE(seed);
  key.writeUInt32LE(at, 4);
  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(size));
}

/** Sizes that add up to `total` bytes: four fifths of the files are small, the others hold nearly all. */
function getSizes(total: number, random: () => number): number[] {
  const sizes: number[] = [];
  const between = (least: number, max: number): number => Math.round(least * (max / least) ** random());
  for (let left = total; left > 0;) {
    const drawn = random() < 0.8 ? between(SMALLEST, MIDDLE) : between(MIDDLE, LARGEST);
    const size = Math.min(drawn, Math.max(left, SMALLEST));
    sizes.push(size);
    left -= size;
  }
  return sizes;
}

async function upload(world: FillWorld, place: Place, name: string, bytes: Buffer): Promise<string> {
  const form = new FormData();
  form.set('file', new Blob([bytes]), name);
  const answer = await fetch(`${world.base}/api/v1/media`, {
    method: 'POST',
    body: form,
    headers: { authorization: `Bearer ${place.secret}` },
  });
  return ((await (await succeeded(answer)).json()) as { id: string }).id;
}

/** @param megabytes of contents, shared ones counted once */
export async function fillMedia(world: FillWorld, megabytes: number): Promise<Map<Place, Filed>> {
  const random = seeded(world.seed);
  const sizes = getSizes(megabytes * MB, random);
  const filed = new Map<Place, Filed>(world.places.map((place) => [place, { images: [], others: [] }]));
  // By their shares, so that the largest workspace has the most.
  const plan = sizes.map((size) => {
    let drawn = random();
    const place = world.places.find(({ share }) => (drawn -= share) < 0) ?? world.places[0]!;
    return { size, place };
  });
  await inLanes(LANES, plan, async ({ size, place }, at) => {
    const { name, head } = KINDS[at % KINDS.length]!;
    const bytes = Buffer.concat([head, toBytes(world.seed, at, size)]).subarray(0, size);
    const mine = filed.get(place)!;
    const ids = name.endsWith('.bin') || size > MAX_OF_IMAGE ? mine.others : mine.images;
    ids.push(await upload(world, place, `${at}-${name}`, bytes));
    if (at % 10 === 0) ids.push(await upload(world, place, `again-${at}-${name}`, bytes));
  });
  return filed;
}
