/** Hearing on a test's database: signals with what a test doesn't care about filled in. */
import { createSecretBox } from '../../../src/platform/crypto/secret-box.ts';
import { publicId } from '../../../src/core/vocabulary/ids.ts';
import type { InboundMessage, Receipt } from '../../../src/channels/contract/signal.ts';
import type { MediaFiles } from '../../../src/surfaces/messaging/media/media-files.ts';
import { COUNTERS } from '../../../src/app/surfaces.ts';
import { createQuotas } from '../../../src/core/workspaces/quota.ts';
import type { World } from './queue.ts';
import {
  createInbound,
  type Inbound,
  type InboundDeps,
} from '../../../src/surfaces/messaging/inbound/inbound.ts';
import { Registry } from 'prom-client';
import { createKeepUpdates } from '../../../src/surfaces/messaging/unprocessed-updates/keep-updates.ts';
import { createInboundFiles } from '../../../src/surfaces/messaging/media/inbound-files.ts';

export function startInbound(
  world: World,
  more: Partial<InboundDeps> & { media?: MediaFiles; limits?: Record<string, number> } = {},
): Inbound & { logged: string[] } {
  const logged: string[] = [];
  const secrets = createSecretBox('a secret for tests, 32 characters long');
  const inbound = createInbound({
    assertDiskSpace: () => undefined,
    units: world.units,
    log: {
      debug: (_, message) => void logged.push(message),
      error: (details, message) =>
        void logged.push(`${message} ${(details as { err?: Error }).err?.message ?? ''}`),
    },
    files: createInboundFiles({
      units: world.units,
      files: more.media ?? ({} as MediaFiles),
      secrets,
      quotas: createQuotas(more.limits ?? {}, COUNTERS),
    }),
    tellLive: () => {},
    keepUpdates: createKeepUpdates(new Registry()),
    ...more,
  });
  return Object.assign(inbound, { logged });
}

export const heard = (externalId: string, more: Partial<InboundMessage> = {}): InboundMessage => ({
  kind: 'message',
  externalId,
  clientId: null,
  chat: { kind: 'direct', key: 'alice', address: 'alice', title: null },
  from: 'alice',
  fromName: null,
  fromMe: false,
  to: 'me',
  type: 'text',
  text: `text of ${externalId}`,
  file: null,
  data: null,
  subject: null,
  replyTo: null,
  mentions: [],
  at: new Date(),
  ...more,
});

export const receipt = (
  of: { id?: string; externalId?: string },
  status: Receipt['status'],
  more: Partial<Receipt> = {},
): Receipt => ({
  kind: 'receipt',
  externalId: of.externalId ?? null,
  clientId: of.id === undefined ? null : publicId('message', of.id),
  status,
  error: status === 'failed' ? { code: 'mailbox_full', detail: 'The mailbox is full.' } : null,
  at: new Date(),
  ...more,
});
