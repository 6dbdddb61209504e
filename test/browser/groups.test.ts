/** Groups in the console, in a browser, on the sandbox with its scripted members. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { INVITE_ENDED } from '../../src/channels/sandbox/groups/group-calls.ts';
import { INVALID_CHARACTERS } from '../../src/channels/sandbox/account/sandbox-address.ts';
import { PATIENCE } from '../support/patience.ts';
import { toUuid } from '../../src/core/vocabulary/ids.ts';
import { needs } from '../support/needs.ts';
import { CHROMIUM, HAS_CHROMIUM } from '../support/browser.ts';
import {
  asOwner,
  connectSandbox,
  dialog,
  expectClean,
  expectFits,
  type Home,
  HOSTILE,
  NARROW,
  startTestConsole,
  type TestConsole,
} from '../support/console.ts';

/** An image of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('groups in a browser', needs(`a browser (${CHROMIUM})`, HAS_CHROMIUM), () => {
  let world: TestConsole;
  beforeAll(async () => {
    world = await startTestConsole();
  });
  afterEach(() => world.closeAll());
  afterAll(() => world?.stop());

  /** Sends a request that starts a job, and waits for it. @returns the group */
  async function done(home: Home, path: string, body?: unknown, method = 'POST') {
    const { id } = await asOwner(home, path, body, method);
    await expect.poll(async () => (await asOwner(home, `/jobs/${id}`)).state, PATIENCE).toBe('succeeded');
    return (await asOwner(home, `/jobs/${id}`)).result.group;
  }
  const newGroup = (home: Home, instance: string, subject: string, ...addresses: string[]) =>
    done(home, '/groups', {
      instance_id: instance,
      subject,
      participants: addresses.map((address) => ({ address })),
    });
  /** Finds the same group as another instance sees it. */
  async function getGroup(home: Home, instance: string) {
    const read = async () => (await asOwner(home, `/groups?instance_id=${instance}`)).data[0];
    await expect.poll(read, PATIENCE).toBeDefined();
    return read();
  }

  const pick = async (page: Page, label: string, ...people: string[]) => {
    for (const person of people) {
      await dialog(page).getByLabel(label, { exact: true }).fill(person);
      await page.keyboard.press('Enter');
    }
  };
  const participant = (page: Page, name: string) =>
    page.getByRole('table', { name: 'Participants' }).getByRole('row', { name });
  const getMenu = async (page: Page, name: string, item: string) => {
    await participant(page, name).getByRole('button', { name: 'Actions for' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  const gone = (page: Page) => expect.poll(() => page.getByRole('dialog').count(), PATIENCE).toBe(0);
  const log = (page: Page) => page.getByRole('log', { name: 'Messages' });
  const bubble = (page: Page, text: string) => log(page).getByRole('article', { name: text }).last();

  test('creates a group with contacts and addresses, manages it, shows its history, and leaves it', async () => {
    const home = await world.newHome();
    const desk = await connectSandbox(home, 'desk');
    await asOwner(home, '/contacts', {
      name: HOSTILE,
      identities: [{ instance_id: desk, address: 'alice' }],
    });
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, '/groups');
    await page.getByText('No groups yet').waitFor();
    await page.getByRole('button', { name: 'Create group' }).first().click();
    await dialog(page).getByLabel('Name', { exact: true }).fill('Spring campaign');
    await dialog(page).getByLabel('Description', { exact: true }).fill('All about the launch.');
    await dialog(page).getByLabel('Participants', { exact: true }).fill('<img');
    await page.getByRole('option', { name: HOSTILE }).click();
    await pick(page, 'Participants', 'fail@nowhere');
    await dialog(page).getByRole('button', { name: 'cURL', exact: true }).click();
    expect(await dialog(page).getByText('curl -X POST').innerText()).toContain('"address": "fail@nowhere"');
    await dialog(page).getByRole('button', { name: 'Create group' }).click();
    await dialog(page).getByText("1 of 2 people couldn't be added").waitFor();
    await dialog(page)
      .getByRole('group', { name: 'Rejected participants' })
      .getByText('The sandbox has no recipient fail@nowhere')
      .waitFor();
    await dialog(page).getByRole('button', { name: 'Open group' }).click();
    await page.getByRole('heading', { level: 1, name: 'Spring campaign' }).waitFor();
    await participant(page, HOSTILE).waitFor();

    await page.getByRole('button', { name: 'Add participants' }).click();
    await pick(page, 'People', 'bob, carol', 'no/address');
    await dialog(page).getByRole('button', { name: 'Add', exact: true }).click();
    await dialog(page).getByText(`no/address: ${INVALID_CHARACTERS}`).waitFor();
    await dialog(page).getByRole('button', { name: 'Remove no/address' }).click();
    await dialog(page).getByRole('button', { name: 'Add', exact: true }).click();
    await gone(page);
    await getMenu(page, 'bob', 'Promote to admin');
    await dialog(page).getByRole('button', { name: 'Promote' }).click();
    await participant(page, 'bob').getByText('Admin').waitFor();
    await gone(page);
    await getMenu(page, 'carol', 'Ban');
    await dialog(page).getByText("can't rejoin until you unban them").waitFor();
    await dialog(page).getByRole('button', { name: 'Ban' }).click();
    await participant(page, 'carol').waitFor({ state: 'detached' });
    await gone(page);

    await page.getByRole('tab', { name: 'Settings' }).click();
    const announces = page.getByRole('switch', { name: 'Announcements only' });
    await announces.click({ force: true });
    await expect.poll(() => announces.isChecked(), PATIENCE).toBe(true);
    await expect.poll(() => announces.isEnabled(), PATIENCE).toBe(true);
    const invitation = page.getByRole('region', { name: 'Invitation link' });
    const invite = async () => (await invitation.locator('pre').first().innerText()).trim();
    const first = await invite();
    expect(first).toMatch(/^group:\w+\?invite=/);
    await invitation.getByRole('button', { name: 'Show QR code' }).click();
    await invitation.getByRole('img', { name: 'QR code for joining Spring campaign' }).waitFor();
    await invitation.getByRole('button', { name: 'Revoke' }).click();
    await dialog(page).getByRole('button', { name: 'Revoke' }).click();
    await expect.poll(invite, PATIENCE).not.toBe(first);
    await gone(page);

    await page.getByRole('button', { name: 'Edit' }).click();
    await dialog(page).getByLabel('Name', { exact: true }).fill('Summer campaign');
    await page.locator('input[type=file]').setInputFiles({
      name: 'point.png',
      mimeType: 'image/png',
      buffer: PNG,
    });
    await dialog(page).getByText('point.png').waitFor();
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Summer campaign' }).waitFor();
    await page.locator('main img[src*="/media/"]').first().waitFor();
    await gone(page);
    await page.getByRole('tab', { name: 'History' }).click();
    const history = page.getByRole('table', { name: 'History' });
    await history.getByText('Name changed from “Spring campaign” to “Summer campaign”').waitFor();
    await history.getByText('Carol was banned').waitFor();

    await page.getByRole('button', { name: 'Actions for Summer campaign' }).click();
    await page.getByRole('menuitem', { name: 'Leave' }).click();
    await dialog(page).getByRole('button', { name: 'Leave' }).click();
    await page.getByText('The instance left this group. This page shows the last known state.').waitFor();
    expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Open chat' }).click();
    await page.getByText("The instance left this group. You can't send messages to it.").waitFor();
    expect(await page.getByLabel('Message', { exact: true }).count()).toBe(0);
    await page.getByRole('link', { name: 'View group' }).click();
    await page.getByRole('link', { name: 'Groups' }).last().click();
    await page.getByRole('button', { name: 'Membership' }).click();
    await page.getByRole('option', { name: 'Joined' }).click();
    await page.getByText('No matches').waitFor();
    expect(await page.title()).not.toBe('owned');
    expect(seen.faults.filter((text) => !text.includes('status of 422'))).toEqual([]);
    expect(seen.foreign).toEqual([]);
  });

  test('joins by invitation, and shows errors in the form or, after it is closed, on the page', async () => {
    const home = await world.newHome();
    const [desk, field] = [await connectSandbox(home, 'desk'), await connectSandbox(home, 'field')];
    const group = await newGroup(home, desk, 'Night shift');
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, '/groups?open=join');
    await dialog(page).getByRole('combobox', { name: 'Instance' }).fill('field');
    await page.getByRole('option', { name: 'field' }).click();
    await dialog(page).getByLabel('Invitation or address').fill(`${group.external_id}?invite=wrong`);
    await dialog(page).getByRole('button', { name: 'Join' }).click();
    await dialog(page).getByText(INVITE_ENDED).waitFor();
    await dialog(page).getByLabel('Invitation or address').fill(group.invite_url);
    await dialog(page).getByRole('button', { name: 'Join' }).click();
    await page.getByRole('heading', { level: 1, name: 'Night shift' }).waitFor();
    await participant(page, 'desk').waitFor();
    // Members can't change settings, and see why.
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByText('Only group owners and admins can change this.').waitFor();
    expect(await page.getByRole('switch', { name: 'Locked' }).isDisabled()).toBe(true);

    const job = await asOwner(home, '/groups/join', { instance_id: field, invite: 'nowhere' });
    await world.visit(page, home, `/groups?job=${job.id}`);
    await page.getByText("Couldn't join the group: This is not a sandbox invitation.").waitFor();
    await page.getByRole('button', { name: 'Dismiss request' }).click();
    await page.getByText("Couldn't join the group").waitFor({ state: 'detached' });
    await page.getByLabel('Search groups').fill('night');
    await page.getByRole('row', { name: 'owner' }).waitFor();
    await page.getByRole('button', { name: 'Instance', exact: true }).click();
    await page.getByRole('option', { name: 'field' }).click();
    await page.getByRole('row', { name: 'owner' }).waitFor({ state: 'detached' });
    await page.getByRole('row', { name: 'Night shift' }).click();
    await page.getByRole('heading', { level: 1, name: 'Night shift' }).waitFor();
    expectClean(seen);
  });

  test('shows senders, replies, mentions, typing and why nobody can write in the chat', async () => {
    const home = await world.newHome();
    const desk = await connectSandbox(home, 'desk');
    const [field, night] = [await connectSandbox(home, 'field'), await connectSandbox(home, 'night')];
    await asOwner(home, '/contacts', {
      name: 'Ms (.*+ Field',
      identities: [{ instance_id: desk, address: 'field' }],
    });
    const group = await newGroup(home, desk, HOSTILE, 'field', 'night');
    const [atField, atNight] = [await getGroup(home, field), await getGroup(home, night)];
    const send = (from: { id: string; instance_id: string }, body: string, more: object = {}) =>
      asOwner(home, '/messages', {
        instance_id: from.instance_id,
        group_id: from.id,
        type: 'text',
        text: { body },
        ...more,
      });
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, `/groups/${group.id}`);
    await page.getByRole('link', { name: 'Open chat' }).click();
    await page.getByRole('link', { name: '3 participants' }).waitFor();
    await page.getByLabel('Message', { exact: true }).fill('Who comes?');
    await page.keyboard.press('Enter');
    await bubble(page, 'You: Who comes?').waitFor();
    await send(atField, 'I do, (.*+ and all');
    await bubble(page, 'Ms (.*+ Field: I do').waitFor(PATIENCE);
    await send(atField, 'And @desk too', { mentions: ['desk', 'night'] });
    const second = bubble(page, 'Ms (.*+ Field: And @desk too');
    await second.getByText('Mentions night').waitFor(PATIENCE);
    expect(await second.locator('[title="desk"]').innerText()).toBe('@desk');
    // Consecutive messages of one sender show the name once.
    await expect.poll(() => log(page).getByText('Ms (.*+ Field', { exact: true }).count(), PATIENCE).toBe(1);
    await send(atNight, 'Hello');
    await bubble(page, 'night: Hello').hover();
    await bubble(page, 'night: Hello').getByRole('button', { name: 'Reply' }).click();
    await page.getByText('Reply to night').waitFor();
    await page.getByLabel('Message', { exact: true }).fill('Good evening');
    await page.keyboard.press('Enter');
    await bubble(page, 'You: Good evening').getByRole('blockquote').getByText('night').waitFor();
    await page.getByLabel('Message', { exact: true }).pressSequentially('Thanks @fie');
    await page.getByRole('option', { name: 'Ms (.*+ Field' }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type('for all');
    await page.keyboard.press('Enter');
    const thanks = bubble(page, 'You: Thanks @Ms (.*+ Field for all');
    expect(await thanks.locator('[title="field"]').innerText()).toBe('@Ms (.*+ Field');
    for (const one of [atField, atNight])
      await asOwner(home, `/chats/${one.chat_id}/typing`, { is_typing: true });
    await page
      .getByText(/^(night and Ms \(\.\*\+ Field|Ms \(\.\*\+ Field and night) are typing…$/)
      .waitFor(PATIENCE);
    await world.visit(page, home, `/chats/${atField.chat_id}`);
    await page.getByLabel('Message', { exact: true }).waitFor();
    await done(home, `/groups/${group.id}`, { settings: { announce_only: true } }, 'PATCH');
    await page.getByText('Only owners and admins can send messages in this group.').waitFor(PATIENCE);
    expect(await page.getByLabel('Message', { exact: true }).count()).toBe(0);
    await done(home, `/groups/${group.id}/participants`, {
      action: 'remove',
      participants: [{ address: 'field' }],
    });
    await page
      .getByText("The instance was removed from this group. You can't send messages to it.")
      .waitFor(PATIENCE);
    expect(await page.title()).not.toBe('owned');
    expectClean(seen);
  });

  test('is accessible and fits where names and addresses are long', async () => {
    const home = await world.newHome();
    const desk = await connectSandbox(home, 'desk');
    const group = await newGroup(home, desk, 'Spring campaign', 'alice', 'bob', 'carol');
    const { page, seen } = await world.open(home.owner, { viewport: NARROW });
    await asOwner(home, '/messages', {
      instance_id: desk,
      group_id: group.id,
      type: 'text',
      text: { body: 'alice: hello' },
    });
    await world.visit(page, home, `/chats/${group.chat_id}`);
    // Not the sent message, which contains her name.
    await bubble(page, 'Alice: Hello, I am Alice').waitFor(PATIENCE);
    // Values that other channels can send, but not the sandbox.
    const long = 'x'.repeat(3000);
    const ids = [toUuid('group', group.id)];
    await world.app.database.pool.query(
      `update groups set subject = $2, description = $3, invite_url = $4 where id = $1`,
      [...ids, 'W'.repeat(900), `${HOSTILE} `.repeat(40), `xmpp:${long}`],
    );
    await world.app.database.pool.query(
      `update group_participants set name = $2 where group_id = $1 and address = 'bob'`,
      [...ids, `${HOSTILE}${'W'.repeat(900)}`],
    );
    await world.app.database.pool.query(
      `update group_participants set address = $2, name = null where group_id = $1 and address = 'carol'`,
      [...ids, `${long}@example.com/nick`],
    );
    await world.app.database.pool.query(
      `update messages set from_address = $2, contact_id = null where chat_id = $1 and direction = 'inbound'`,
      [toUuid('chat', group.chat_id), `${long}@example.com/nick`],
    );
    await page.reload();
    await bubble(page, 'xxx').waitFor(PATIENCE);
    await expectFits(page, 'the chat');
    await world.visit(page, home, '/groups');
    await page.getByRole('row', { name: 'WWW' }).waitFor();
    await expectFits(page, 'the list');
    await page.getByRole('row', { name: 'WWW' }).click();
    await participant(page, HOSTILE).waitFor();
    await expectFits(page, 'the participants');
    await getMenu(page, 'xxx', 'Remove');
    await dialog(page).getByText('They no longer receive messages').waitFor();
    await expectFits(page, 'a confirmation');
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await gone(page);
    await page.getByRole('button', { name: 'Add participants' }).click();
    await pick(page, 'People', 'y'.repeat(900), 'dora');
    await expectFits(page, 'the people to add');
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard', exact: true }).click();
    await gone(page);
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Revoke' }).waitFor();
    await expectFits(page, 'the settings');
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByText('Group created').waitFor();
    await expectFits(page, 'the history');
    await world.visit(page, home, '/groups?open=new');
    await dialog(page).getByLabel('Name', { exact: true }).waitFor();
    await expectFits(page, 'a new group');
    expect(await page.title()).not.toBe('owned');
    expectClean(seen);
  });
});
