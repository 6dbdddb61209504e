/** Who uses Fairlead through a proxy: signs up, calls, proves a domain, follows a stream. */
import { expect } from 'vitest';
import type { NameServer } from './links/domains.ts';
import { type Answered, type Call, callOutside } from './outside.ts';
import type { Product } from './product.ts';
import { MAIN, type Proxy } from './proxies.ts';

export const ORIGIN = `https://${MAIN}`;
export const json = { 'content-type': 'application/json' };

export interface Owner {
  proxy: Proxy;
  cookies: string[];
  workspace: string;
  key: string;
  /** As the signed-in person. */
  write(path: string, body: object): Promise<Answered>;
  /** With the key, from CALLER unless `more` says otherwise. */
  call(path: string, body?: unknown, more?: Partial<Call>): Promise<Answered>;
}

/** Somebody who signs up through the proxy, as the console does, with a key that may do what keys may. */
export async function signUp(proxy: Proxy, product: Product, email: string): Promise<Owner> {
  const token = /setup token ([\w-]+)/.exec(product.output())![1];
  const origin = { ...json, origin: ORIGIN };
  const signedUp = await callOutside(proxy, {
    name: MAIN,
    path: '/api/auth/sign-up/email',
    headers: origin,
    body: JSON.stringify({ name: 'Ada', email, password: 'correct horse battery', setup_token: token }),
  });
  expect(signedUp.status, signedUp.text).toBe(200);
  const cookies = signedUp.headers['set-cookie']!;
  const cookie = cookies.map((line) => line.split(';')[0]).join('; ');
  let workspace: string | undefined;
  const write = async (path: string, body: object): Promise<Answered> => {
    const answer = await callOutside(proxy, {
      name: MAIN,
      path: `/api/v1${path}`,
      headers: { ...origin, cookie, ...(workspace ? { 'fairlead-workspace': workspace } : {}) },
      body: JSON.stringify(body),
    });
    expect(answer.status, answer.text).toBe(201);
    return answer;
  };
  workspace = (await write('/workspaces', { name: 'Acme' })).body.id as string;
  const { body: made } = await write('/api-keys', { name: 'Key', preset: 'full', rate_limit: null });
  const key: string = made.secret;
  return {
    proxy,
    cookies,
    workspace,
    key,
    write,
    call: (path, body, more = {}) =>
      callOutside(proxy, {
        name: MAIN,
        path: `/api/v1${path}`,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...more,
        headers: { ...(body === undefined ? {} : json), authorization: `Bearer ${key}`, ...more.headers },
      }),
  };
}

/** A domain that its owner has proven. */
export async function verifiedDomain(owner: Owner, names: NameServer, host: string): Promise<void> {
  const added = await owner.call('/domains', { host });
  expect(added.status, added.text).toBe(201);
  const { id, verification } = added.body;
  names.records.set(verification.name, [verification.value]);
  const verified = await owner.call(`/domains/${id}/verify`, undefined, { method: 'POST' });
  expect(verified.body.state).toBe('verified');
}

/** Server-sent events as they come. @param each whether it wants more */
export async function follow(
  response: AsyncIterable<Buffer>,
  each: (data: string) => boolean,
): Promise<void> {
  let rest = '';
  for await (const chunk of response) {
    rest += chunk.toString();
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      const data = /^data: ?(.*)$/m.exec(rest.slice(0, end))?.[1];
      rest = rest.slice(end + 2);
      if (data !== undefined && !each(data)) return;
    }
  }
}
