/** Going through what chats hold, in windows and small transactions, for jobs that may be stopped and begun again anywhere. */
import type { Unit, Units } from '../../../core/unit-of-work.ts';
import { FIRST_UUID } from '../../../platform/db/uuid-time.ts';
import * as trace from './contact-trace.store.ts';

const CHATS = 1_000;
const MESSAGES = 500;

/** Gives `perform` the ids of a chat's messages, some at a time, each time in a transaction. */
export async function walkMessages(
  units: Units,
  workspaceId: string,
  chatId: string,
  perform: (unit: Unit, ids: string[]) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  for (let after = FIRST_UUID; ;) {
    signal?.throwIfAborted();
    const ids = await trace.messagesAfter(units.read.db, workspaceId, chatId, after, MESSAGES);
    if (!ids.length) return;
    await units.write((unit) => perform(unit, ids));
    after = ids.at(-1)!;
  }
}

/** The same with all messages of all groups of an instance. */
export async function walkGroups(
  units: Units,
  workspaceId: string,
  instanceId: string,
  perform: (unit: Unit, ids: string[]) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  for (let after: string | null = ''; after !== null;) {
    signal?.throwIfAborted();
    const page: { groups: string[]; last: string | null } = await trace.groupsAfter(
      units.read.db,
      workspaceId,
      instanceId,
      after,
      CHATS,
    );
    for (const group of page.groups) await walkMessages(units, workspaceId, group, perform, signal);
    after = page.last;
  }
}
