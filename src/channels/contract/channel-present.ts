/** Converts drivers and their capabilities to API representations. */
import type { Capabilities } from './capabilities.ts';
import type { CapabilitiesObject, ChannelObject } from './channel.schema.ts';
import type { Driver } from './driver.ts';

export const presentCapabilities = (given: Capabilities): CapabilitiesObject => ({
  types: Object.fromEntries(
    Object.entries(given.types).map(([type, { text, bytes, mimeTypes }]) => [
      type,
      { max_text: text, max_bytes: bytes ?? null, mime_types: mimeTypes ?? null },
    ]),
  ),
  operations: [...given.operations],
  pacing: {
    per_second: given.pacing.perSecond,
    per_chat: given.pacing.perChat,
    per_group: given.pacing.perGroup ?? given.pacing.perChat,
    concurrency: given.pacing.concurrency,
  },
  limits: {
    edit_within: given.limits.editWithin,
    revoke_within: given.limits.revokeWithin,
    group_members: given.limits.groupMembers,
    reply_window: given.limits.replyWindow ?? null,
  },
});

/** Converts a driver. The capabilities are those of an instance without settings. */
export const presentChannel = (driver: Driver): ChannelObject => ({
  id: driver.channel,
  object: 'channel',
  title: driver.title,
  description: driver.description,
  pairs: driver.pairs,
  resend: driver.resend,
  credentials_schema: { ...driver.credentials },
  settings_schema: { ...driver.settings },
  host_settings: [...driver.hostSettings],
  capabilities: presentCapabilities(driver.capabilities({})),
});
