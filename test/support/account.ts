/** Somebody who signed up at a running server, with a workspace and a key: all through HTTP, as anybody would. */

/** Who signs up, where a test doesn't say. */
export const ADA = { email: 'ada@example.com', password: 'correct horse battery' };

export interface Caller {
  (
    method: string,
    path: string,
    body?: unknown,
    init?: Pick<RequestInit, 'signal'> & { workspace?: string },
  ): Promise<Response>;
}

export interface Account {
  workspace: string;
  /** Calls with the session, in the workspace. */
  call: Caller;
  /** Makes a key; without a rate limit unless `fields` says otherwise. */
  createKey(fields?: object): Promise<{ id: string; secret: string }>;
}

/** @throws Error with the body of an answer that isn't a success. */
export async function succeeded(answer: Response): Promise<Response> {
  if (answer.ok) return answer;
  throw new Error(`${answer.url}: ${answer.status} ${await answer.text()}`);
}

/** What a browser sends back of the cookies that an answer sets. */
export const getCookie = (headers: Headers): string =>
  headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');

/** @returns the session's cookie */
export async function signIn(base: string, { email, password } = ADA): Promise<string> {
  const answer = await fetch(`${base}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: base },
    body: JSON.stringify({ email, password }),
  });
  return getCookie((await succeeded(answer)).headers);
}

/** @param base of a server that lets anybody sign up, or has no user yet. */
export async function openAccount(base: string, email = ADA.email): Promise<Account> {
  const json = { 'content-type': 'application/json', origin: base };
  const person = { name: 'Ada', email, password: ADA.password };
  const signUp = await succeeded(
    await fetch(`${base}/api/auth/sign-up/email`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify(person),
    }),
  );
  const cookie = getCookie(signUp.headers);
  let workspace: string | undefined;
  const call: Caller = (method, path, body, { workspace: other, ...init } = {}) =>
    fetch(`${base}/api/v1${path}`, {
      method,
      headers: { ...json, cookie, ...(workspace ? { 'fairlead-workspace': other ?? workspace } : {}) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...init,
    });
  const created = await succeeded(await call('POST', '/workspaces', { name: 'Acme' }));
  workspace = ((await created.json()) as { id: string }).id;
  return {
    workspace,
    call,
    async createKey(fields = {}) {
      const key = { name: 'Key', preset: 'full', rate_limit: null, ...fields };
      const answer = await succeeded(await call('POST', '/api-keys', key));
      return (await answer.json()) as { id: string; secret: string };
    },
  };
}
