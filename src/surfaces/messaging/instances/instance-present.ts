/** Converts an instance's row for the API and the event log, without credentials and pairing secrets. */
import { publicId } from '../../../core/vocabulary/ids.ts';
import { presentCapabilities } from '../../../channels/contract/channel-present.ts';
import type { Json } from '../../../channels/contract/json.ts';
import type { Drivers } from '../../../channels/contract/driver-registry.ts';
import type { InstanceObject } from './instance.schema.ts';
import type { InstanceRow, QueueRow } from './instance.store.ts';
import type { DesiredState, InstanceState } from './instance-state.ts';

/** Capabilities of an instance whose channel this server does not have (any more). */
const NOTHING: InstanceObject['capabilities'] = {
  types: {},
  operations: [],
  pacing: { per_second: null, per_chat: null, per_group: null, concurrency: 1 },
  limits: { edit_within: null, revoke_within: null, group_members: null, reply_window: null },
};

function getCapabilities(drivers: Drivers, row: InstanceRow): InstanceObject['capabilities'] {
  const driver = drivers.get(row.channel);
  return driver ? presentCapabilities(driver.capabilities(row.settings as Json)) : NOTHING;
}

export function presentInstance(row: InstanceRow, drivers: Drivers, queue: QueueRow): InstanceObject {
  return {
    id: publicId('instance', row.id),
    object: 'instance',
    name: row.name,
    channel: row.channel,
    address: row.address,
    profile_name: row.profile_name,
    desired_state: row.desired_state as DesiredState,
    state: row.state as InstanceState,
    state_reason: row.state_reason,
    state_changed_at: row.state_changed_at.toISOString(),
    restriction:
      row.restriction_kind === null
        ? null
        : { kind: row.restriction_kind, until: row.restriction_until?.toISOString() ?? null },
    capabilities: getCapabilities(drivers, row),
    settings: row.settings as Record<string, unknown>,
    ingress_url: row.ingress_token === null ? null : drivers.ingressUrl(row.ingress_token),
    queue: { length: queue.length, oldest_at: queue.oldest_at?.toISOString() ?? null },
    unprocessed_updates: { count: queue.unprocessed, deleted: queue.unprocessed_deleted },
    queue_ttl_seconds: row.queue_ttl_seconds,
    resend_unknown: row.resend_unknown,
    connected_at: row.connected_at?.toISOString() ?? null,
    last_error:
      row.last_error_code === null
        ? null
        : {
            code: row.last_error_code,
            detail: row.last_error_detail ?? '',
            at: row.last_error_at!.toISOString(),
          },
    metadata: row.metadata as Record<string, string>,
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
