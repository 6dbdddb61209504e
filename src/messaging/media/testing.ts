/** For tests of media: forms as a client sends them, and what lies on the disk. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer, TestApp } from '../../testing/test-app.ts';

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

const answerOf = async (response: Response): Promise<Answer> => {
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
  return answerOf(
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

/** Files below DATA_DIR/media, by their paths from there. */
export function filesOf({ config }: TestApp): string[] {
  const root = join(config.DATA_DIR, 'media');
  try {
    return (readdirSync(root, { recursive: true }) as string[])
      .filter((path) => statSync(join(root, path)).isFile())
      .sort();
  } catch {
    return []; // no file has come yet
  }
}
