/** An API key at one or several nodes of an installation, whose BASE_URL is another address than theirs. */
import { request } from 'undici';

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into any answer
export type Body = any;

export interface Client {
  get(path: string): Promise<Body>;
  post(path: string, body?: object): Promise<Body>;
  /** Follows a short link as a browser does, up to where it leads. */
  visit(shortUrl: string): Promise<{ status: number; location: string | null }>;
}

const BROWSER = 'Mozilla/5.0 (X11; Linux x64; rv:140.0) Gecko/20100101 Firefox/140.0';

/**
 * @param node where the process listens
 * @param baseUrl its BASE_URL: by its host it knows what is asked for
 * @returns a client that throws for any answer but success
 */
export function getClient(node: string, baseUrl: string, key: string): Client {
  const { host } = new URL(baseUrl);
  const call = async (method: 'GET' | 'POST', path: string, body?: object): Promise<Body> => {
    const answer = await request(`${node}/api/v1${path}`, {
      method,
      headers: { host, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(method === 'POST' ? { body: JSON.stringify(body ?? {}) } : {}),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
    return text === '' ? null : JSON.parse(text);
  };
  return {
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
    async visit(shortUrl) {
      const { pathname } = new URL(shortUrl);
      const answer = await request(node + pathname, { headers: { host, 'user-agent': BROWSER } });
      await answer.body.dump();
      const { location } = answer.headers;
      return { status: answer.statusCode, location: typeof location === 'string' ? location : null };
    },
  };
}
