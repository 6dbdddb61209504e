/** Webhooks and inspectors as objects that a key or member created. */
import { sql } from 'kysely';
import type { CreatedKind } from '../created-objects/created-kind.ts';
import { disableInspector } from './inspector.service.ts';
import { changeWebhook, disabledBy } from './webhook-change.ts';
import { lockWebhook } from './webhook.store.ts';

const scopes = { read: 'webhooks:read', write: 'webhooks:write' } as const;

export const createdWebhooks: CreatedKind = {
  type: 'webhook',
  scopes,
  table: 'webhooks',
  // The path of a URL may be a credential of the receiver.
  name: sql<string>`coalesce(description, split_part(url, '/', 3))`,
  isEnabled: sql<boolean>`enabled`,
  disabledEvent: 'webhook.disabled',
  async disable(unit, workspaceId, id, reason) {
    const row = await lockWebhook(unit.db, workspaceId, id);
    if (row?.enabled) await changeWebhook(unit, row, disabledBy(reason, unit.clock()));
  },
};

export const createdInspectors: CreatedKind = {
  type: 'inspector',
  scopes,
  table: 'inspectors',
  name: sql<string>`name`,
  isEnabled: sql<boolean>`enabled`,
  disable: disableInspector,
};
