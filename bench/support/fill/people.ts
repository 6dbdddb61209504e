/** People who sign up, join workspaces by invitation, and hold keys of all kinds. */
import { getCookie, succeeded } from '../../../test/support/account.ts';
import type { FillWorld, Place } from './fill-world.ts';

export const PASSWORD = 'correct horse battery';
const ROLES = ['admin', 'developer', 'viewer'] as const;
const NAMES = ['Grace', 'Hedy', 'Joan', 'Karen', 'Radia'];

export interface Person {
  email: string;
  /** Calls with the session, in a workspace where one is named. @throws Error when it is refused */
  // oxlint-disable-next-line typescript/no-explicit-any -- an answer of any operation
  call(method: string, path: string, body?: unknown, workspace?: string): Promise<any>;
}

export async function openPerson(base: string, name: string, email: string): Promise<Person> {
  const json = { 'content-type': 'application/json', origin: base };
  const signUp = await fetch(`${base}/api/auth/sign-up/email`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ name, email, password: PASSWORD }),
  });
  if (signUp.status === 422)
    throw new Error(`${email} is there: this installation was filled with this seed already; take another`);
  const cookie = getCookie((await succeeded(signUp)).headers);
  return {
    email,
    async call(method, path, body, workspace) {
      const answer = await fetch(`${base}/api/v1${path}`, {
        method,
        headers: { ...json, cookie, ...(workspace ? { 'fairlead-workspace': workspace } : {}) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await (await succeeded(answer)).text();
      return text ? JSON.parse(text) : null;
    },
  };
}

/** Others of the place's workspace, and invitations that nobody has taken. */
async function invite({ people, seed }: FillWorld, place: Place): Promise<void> {
  const { owner, workspace, name } = place;
  for (const [at, role] of ROLES.entries()) {
    const person = people[1 + at]!;
    const { url } = await owner.call('POST', '/invitations', { email: person.email, role }, workspace);
    await person.call('POST', '/invitations/accept', { token: (url as string).split('/').at(-1) });
  }
  for (const [at, role] of ROLES.entries()) {
    const email = `waiting-${name.toLowerCase()}-${at}-${seed}@example.com`;
    const { id } = await owner.call('POST', '/invitations', { email, role }, workspace);
    if (at === 0) await owner.call('POST', `/invitations/${id}/revoke`, {}, workspace);
  }
}

/** One key of each kind, some of them over. */
async function makeKeys({ owner, workspace }: Place): Promise<void> {
  const inAYear = new Date(Date.now() + 365 * 24 * 3600 * 1000).toISOString();
  const bodies: object[] = [
    ...['messaging', 'links', 'automation', 'read_only'].map((preset) => ({ name: `For ${preset}`, preset })),
    { name: 'From the office', preset: 'links', allowed_ips: ['192.0.2.0/24'], expires_at: inAYear },
    {
      name: 'Our site',
      scopes: ['links:create', 'publishing:publish'],
      allowed_origins: ['https://shop.example.com'],
      expires_at: inAYear,
      rate_limit: { limit: 60, burst: 10 },
    },
  ];
  for (const body of bodies) await owner.call('POST', '/api-keys', body, workspace);
  const old = await owner.call('POST', '/api-keys', { name: 'Lost', preset: 'full' }, workspace);
  await owner.call('POST', `/api-keys/${old.id}/revoke`, {}, workspace);
  const changed = await owner.call('POST', '/api-keys', { name: 'Rotated', preset: 'full' }, workspace);
  await owner.call('POST', `/api-keys/${changed.id}/rotate`, { overlap_seconds: 86_400 }, workspace);
}

export async function fillPeople(world: FillWorld): Promise<void> {
  for (const name of NAMES)
    world.people.push(await openPerson(world.base, name, `${name.toLowerCase()}-${world.seed}@example.com`));
  for (const place of world.places) {
    await invite(world, place);
    await makeKeys(place);
    await place.api('POST', '/chat/completions', {
      model: 'fairlead/echo',
      messages: [{ role: 'user', content: `What does ${place.name} do?` }],
    });
  }
}
