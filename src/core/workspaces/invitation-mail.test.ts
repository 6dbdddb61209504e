import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSecretBox } from '../../platform/crypto/secret-box.ts';
import type { SessionActor } from '../auth/actor.ts';
import { ROLES } from '../vocabulary/scopes.ts';
import { createUnits } from '../unit/unit-of-work.ts';
import { createEventWriter } from '../unit/event-writer.ts';
import { toUuid } from '../vocabulary/ids.ts';
import type { JobQueue } from '../../platform/jobs/job-queue.ts';
import { createSendLater } from '../../platform/mail/mail-job.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { createInvitation } from './invitation.service.ts';
import { createQuotas } from './quota.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;

beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
});
afterAll(() => app.stop());

/** Invites as the owner does where a mail server is set; the jobs that it leaves are collected. */
async function inviteWithMail(email: string) {
  const left: { name: string; payload: { sealed: string } }[] = [];
  const jobs = {
    enqueue: async (_db: unknown, name: string, payload: { sealed: string }) =>
      void left.push({ name, payload }),
  } as unknown as JobQueue;
  const secrets = createSecretBox('a secret for tests, 32 characters long');
  const units = createUnits({ db: app.database.db, events: createEventWriter(() => {}), jobs });
  const actor: SessionActor = {
    kind: 'session',
    id: home.owner.userId,
    name: 'Ada <b>',
    epoch: 0,
    userId: toUuid('user', home.owner.userId)!,
    email: home.owner.email,
    workspaceId: toUuid('workspace', home.workspace)!,
    workspace: { name: 'unused', slug: 'unused' },
    role: 'owner',
    scopes: new Set(ROLES.owner),
    expiresAt: Date.now() + 60_000,
    token: 'unused',
  };
  const deps = {
    baseUrl: 'https://fairlead.example',
    sendLater: createSendLater(secrets, jobs),
    quotas: createQuotas({}),
  };
  const invitation = await units.write((unit) =>
    createInvitation(deps, unit, actor, { email, role: 'viewer' }),
  );
  return { invitation, left, secrets };
}

test('the mail leaves by a job, sealed, to the invited address alone, with the link', async () => {
  const { invitation, left, secrets } = await inviteWithMail('Mail@Example.com');
  expect(left.map(({ name }) => name)).toEqual(['mail.send']);
  const [{ payload }] = left as [(typeof left)[0]];
  const token = invitation.url!.split('/').at(-1)!;
  expect(JSON.stringify(payload)).not.toContain(token);
  expect(JSON.stringify(payload)).not.toContain('example.com');
  const mail = JSON.parse(secrets.open(payload.sealed, 'mail.send'));
  expect(mail.to).toBe('mail@example.com');
  expect(mail.text).toContain(`https://fairlead.example/user/api/invite/${token}`);
  expect(mail.text).toContain('Your role will be viewer.');
  expect(mail.html).not.toContain('<b>');
});
