/** For tests of media: the stores that they may be in, forms as a client sends them, and what lies in the store. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readlinkSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createS3Client, type S3Client } from '../../../src/platform/storage/s3/s3-client.ts';
import type { S3Location } from '../../../src/platform/config/s3-url.ts';
import { startS3 } from '../s3-server.ts';
import type { Answer, TestApp } from '../test-app.ts';

export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

export interface FormFile {
  bytes: Uint8Array | string;
  /** Default: `file.bin`. */
  name?: string;
  type?: string;
  fields?: Record<string, string>;
}

export interface Caller {
  key: string;
  headers?: Record<string, string>;
}

const getResponse = async (response: Response): Promise<Answer> => {
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text ? JSON.parse(text) : text,
  };
};

export async function sendForm(app: TestApp, { key, headers }: Caller, form: FormData): Promise<Answer> {
  const authorization = `Bearer ${key}`;
  return getResponse(
    await fetch(`${app.base}/api/v1/media`, {
      method: 'POST',
      body: form,
      headers: { authorization, ...headers },
    }),
  );
}

export function formWith({ bytes, name = 'file.bin', type, fields = {} }: FormFile): FormData {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.set(field, value);
  form.set(
    'file',
    new Blob([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)], type === undefined ? {} : { type }),
    name,
  );
  return form;
}

export const upload = (app: TestApp, caller: Caller, file: FormFile): Promise<Answer> =>
  sendForm(app, caller, formWith(file));

/** The signed address as this test reaches it: its port is known only once the app listens. */
export const reachable = (app: TestApp, url: string): string => app.base + new URL(url).pathname;

export interface TestStore {
  /** Settings of an app that keeps its media there. */
  env: Record<string, string>;
  /** The folder of it that holds what a crash may leave beside contents. */
  aside: string;
  /** Puts something there, past the product. */
  lay(app: TestApp, path: string): Promise<void>;
  age(app: TestApp, path: string, at: Date): Promise<void>;
  stop(): Promise<void>;
}

const inFolder: TestStore = {
  env: {},
  aside: 'incoming',
  async lay({ config }, path) {
    const full = join(config.DATA_DIR, 'media', path);
    mkdirSync(join(full, '..'), { recursive: true });
    writeFileSync(full, 'left');
  },
  age: async ({ config }, path, at) => utimesSync(join(config.DATA_DIR, 'media', path), at, at),
  stop: async () => undefined,
};

/** @returns what `work` gives */
async function withClient<T>(place: S3Location, work: (client: S3Client) => Promise<T>): Promise<T> {
  const client = createS3Client(place);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

async function inS3(): Promise<TestStore> {
  const s3 = await startS3();
  return {
    env: { S3_URL: s3.url() },
    aside: 'trials',
    async lay({ config }, path) {
      const bytes = Buffer.from('left');
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const body = { size: bytes.length, sha256, open: () => bytes };
      await withClient(config.S3_URL!, (client) => client.put(path, body));
    },
    age: ({ config }, path, at) => s3.age(config.S3_URL!.prefix + path, at),
    stop: s3.stop,
  };
}

/** What every test of files holds for. */
export const STORES: [string, () => Promise<TestStore>][] = [
  ['a folder', async () => inFolder],
  ['S3', inS3],
];

function filesBelow(root: string): string[] {
  try {
    return (readdirSync(root, { recursive: true }) as string[]).filter((path) =>
      statSync(join(root, path)).isFile(),
    );
  } catch {
    return []; // no file has come yet
  }
}

/** Files that are open and have no name any more, by what it was; known on Linux alone. */
function namelessFiles(): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`).replace(/ \(deleted\)$/, '')];
    } catch {
      return []; // closed meanwhile
    }
  });
}

/** What the store holds, and what is being received (`incoming/…`), by paths from its root. */
export async function getFiles({ config }: TestApp): Promise<string[]> {
  const root = join(config.DATA_DIR, 'media');
  if (!config.S3_URL) return filesBelow(root).sort();
  const { objects } = await withClient(config.S3_URL, (client) => client.list('')); // tests make no second page
  const keys = objects.map(({ key }) => key);
  const spool = join(root, 'incoming/');
  const coming = namelessFiles().filter((path) => path.startsWith(spool));
  return [...keys, ...coming.map((path) => path.slice(root.length + 1))].sort();
}
