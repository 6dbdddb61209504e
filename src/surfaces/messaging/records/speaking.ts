/** The driver that an instance sends with, and its capabilities. */
import type { Capabilities } from '../../../channels/contract/capabilities.ts';
import type { Driver } from '../../../channels/contract/driver.ts';
import type { Drivers } from '../../../channels/contract/driver-registry.ts';
import type { Json } from '../../../channels/contract/json.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { type InstanceState, takesMessages } from '../instances/instance-state.ts';
import { disconnected } from './message-problems.ts';
import type { SendingInstance } from './sending-instance.store.ts';

export interface Speaking {
  driver: Driver;
  capabilities: Capabilities;
}

/** @throws Problem instance_disconnected; Error where the program lacks the channel's driver */
export function speakingFor(drivers: Drivers, instance: SendingInstance): Speaking {
  if (!takesMessages(instance.state as InstanceState)) throw disconnected(instance.state);
  const driver = drivers.get(instance.channel);
  if (!driver)
    throw new Problem(
      'unsupported_by_channel',
      `This server does not support the channel ${instance.channel}.`,
    );
  return { driver, capabilities: driver.capabilities(instance.settings as Json) };
}
