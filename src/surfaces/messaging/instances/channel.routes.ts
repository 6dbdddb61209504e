/** Operations on channels: list them, and check whether an account can be connected. */
import { type Operation, operation } from '../../../core/api/operation.ts';
import { toCompleteList } from '../../../platform/http/pagination.ts';
import { notFound } from '../../../platform/http/problem.ts';
import { toListSchema } from '../../../platform/http/schema.ts';
import { type AssertEndpointsAllowed, assertAsTheChannelTakes, getOwnAddress } from './instance-input.ts';
import type { CheckChannel } from '../../../channels/contract/channel-check.ts';
import { presentChannel } from '../../../channels/contract/channel-present.ts';
import {
  Channel,
  ChannelCheck,
  ChannelParams,
  CheckChannelBody,
} from '../../../channels/contract/channel.schema.ts';
import type { Driver } from '../../../channels/contract/driver.ts';
import type { Json } from '../../../channels/contract/json.ts';
import type { Drivers } from '../../../channels/contract/driver-registry.ts';

export interface ChannelDeps {
  drivers: Drivers;
  checkChannel: CheckChannel;
  assertEndpointsAllowed: AssertEndpointsAllowed;
}

const UNNAMED = 'check';

function requireChannel(drivers: Drivers, name: string): Driver {
  const driver = drivers.get(name);
  if (!driver) throw notFound('channel');
  return driver;
}

export const channelOperations = ({
  drivers,
  checkChannel,
  assertEndpointsAllowed,
}: ChannelDeps): Operation[] => [
  operation(
    {
      id: 'channels.list',
      method: 'GET',
      path: '/channels',
      tag: 'Channels',
      summary: 'List channels',
      description: 'Returns all available channels without pagination.',
      access: 'instances:read',
      success: { status: 200, description: 'All channels.', schema: toListSchema(Channel) },
    },
    () => ({ body: toCompleteList(drivers.all.map(presentChannel)) }),
  ),
  operation(
    {
      id: 'channels.get',
      method: 'GET',
      path: '/channels/{channel}',
      tag: 'Channels',
      summary: 'Get a channel',
      access: 'instances:read',
      params: ChannelParams,
      success: { status: 200, description: 'The channel.', schema: Channel },
    },
    ({ params }) => ({ body: presentChannel(requireChannel(drivers, params.channel)) }),
  ),
  operation(
    {
      id: 'channels.check',
      method: 'POST',
      path: '/channels/{channel}/check',
      whenFull: 'goes_on',
      tag: 'Channels',
      summary: 'Check settings and credentials',
      description:
        'Connects with the given settings and credentials, and disconnects again, within 15 seconds. Nothing is stored. `ok` is true if the connection succeeded; otherwise `error` contains the reason. Limited to 20 checks in 10 minutes per workspace, and per account on a mail server.',
      access: 'instances:write',
      params: ChannelParams,
      body: CheckChannelBody,
      bodyExample: { name: 'Support', settings: {}, credentials: {} },
      success: { status: 200, description: 'The result of the check.', schema: ChannelCheck },
      errors: ['unprocessable', 'address_not_allowed', 'rate_limited'],
      transaction: 'none',
      idempotency: 'refused',
    },
    async ({ actor, params, body }) => {
      const driver = requireChannel(drivers, params.channel);
      const { name = UNNAMED } = body;
      const settings = (body.settings ?? {}) as Json;
      const credentials = (body.credentials ?? {}) as Json;
      assertAsTheChannelTakes(driver, { settings, credentials });
      getOwnAddress(driver, { name, settings, credentials });
      await assertEndpointsAllowed(driver, settings);
      const { workspaceId } = actor;
      return { body: await checkChannel({ workspaceId, driver, name, settings, credentials }) };
    },
  ),
];
