/** What tests about workspaces start from: people with a role in one. */
import type { Role } from '../../src/core/vocabulary/scopes.ts';
import type { Answer, Person, TestApp } from './test-app.ts';

export interface Home {
  owner: Person;
  workspace: string;
  key: string;
}

/** What came of a call: status and, for a refusal, its code. */
export const outcome = ({ status, body }: Answer) => [status, body.code];

/** The token in an invitation's link. */
export const getToken = (url: string): string => url.split('/').at(-1)!;

/** Somebody new who has joined with this role, by an invitation of the owner. */
export async function join(app: TestApp, home: Home, role: Role, email?: string): Promise<Person> {
  const person = await app.signUp(email);
  const { status, body } = await home.owner.call('/invitations', {
    workspace: home.workspace,
    body: { email: person.email, role },
  });
  if (status !== 201) throw new Error(`no invitation: ${JSON.stringify(body)}`);
  const accepted = await person.call('/invitations/accept', { body: { token: getToken(body.url) } });
  if (accepted.status !== 200) throw new Error(`not accepted: ${JSON.stringify(accepted.body)}`);
  return person;
}

/** A key of the workspace, made by its owner; without a rate limit unless `body` has one. */
export async function makeKey(home: Home, body: object): Promise<string> {
  const made = await home.owner.call('/api-keys', {
    workspace: home.workspace,
    body: { name: 'k', rate_limit: null, ...body },
  });
  if (made.status !== 201) throw new Error(`no key: ${JSON.stringify(made.body)}`);
  return made.body.secret as string;
}

/** Events that a workspace has had, in the order of their writing, from outbox and log alike. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests look into any event
export async function getEvents(app: TestApp, workspaceUuid: string): Promise<{ type: string; data: any }[]> {
  const { rows } = await app.database.pool.query(
    `select type, data from (
       select event_id as id, type, data from outbox where workspace_id = $1
       union select id, type, data from events where workspace_id = $1
     ) e order by id`,
    [workspaceUuid],
  );
  return rows;
}
