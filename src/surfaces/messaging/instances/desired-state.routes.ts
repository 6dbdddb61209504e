/**
 * Operations on an instance's connection. Each stores the desired state and responds with 202; it is applied right
 * afterwards.
 */
import type { WorkspaceActor } from '../../../core/auth/actor.ts';
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { requireUuid } from '../../../core/vocabulary/ids.ts';
import { type Operation, operation } from '../../../core/api/operation.ts';
import { IdParams } from '../../../core/api/id-schema.ts';
import { Instance } from './instance.schema.ts';
import { type InstanceServiceDeps, lockInstance, withVersion } from './instance.service.ts';
import * as desiredState from './desired-state.service.ts';

const changesState = {
  method: 'POST',
  tag: 'Instances',
  access: 'instances:write',
  params: IdParams('instance'),
  audit: 'instance',
  success: { status: 202, description: 'The updated instance.', schema: Instance },
  events: ['instance.state_changed'],
} as const;

export function desiredStateOperations(deps: InstanceServiceDeps): Operation[] {
  const perform =
    (apply: desiredState.SetDesiredState) =>
    async ({ actor, params, unit }: { actor: WorkspaceActor; params: { id: string }; unit: Unit }) => {
      const row = await lockInstance(unit, actor.workspaceId, requireUuid('instance', params.id));
      const { instance, version } = await withVersion(unit, deps.drivers, await apply(unit, deps, row));
      return { body: instance, version };
    };

  return [
    operation(
      {
        ...changesState,
        id: 'instances.connect',
        path: '/instances/{id}/connect',
        summary: 'Connect an instance',
        description:
          'Connects the instance and keeps it connected, reconnecting automatically, until you disconnect it. If somebody must scan or enter a code, the state is `action_required`: see `GET /instances/{id}/pairing`. An instance that is waiting for its next attempt retries immediately.',
        errors: ['conflict'],
      },
      perform(desiredState.connect),
    ),
    operation(
      {
        ...changesState,
        id: 'instances.disconnect',
        path: '/instances/{id}/disconnect',
        whenFull: 'goes_on',
        summary: 'Disconnect an instance',
        description:
          'After the response, the instance no longer accepts messages. Queued messages are kept until they expire, and are sent when you connect it again.',
      },
      perform((unit, wishDeps, row) => desiredState.disconnect(unit, wishDeps, row)),
    ),
    operation(
      {
        ...changesState,
        id: 'instances.restart',
        path: '/instances/{id}/restart',
        summary: 'Restart an instance',
        description: 'Closes the connection, if any, and opens a new one.',
        errors: ['conflict'],
      },
      perform((unit, wishDeps, row) => desiredState.reopen(unit, wishDeps, row, 'restarted')),
    ),
    operation(
      {
        ...changesState,
        id: 'instances.logout',
        path: '/instances/{id}/logout',
        whenFull: 'goes_on',
        summary: 'Log an instance out',
        description:
          "Disconnects the instance and ends the account's session on the channel. An instance that uses pairing must be paired again before it can connect.",
      },
      perform((unit, wishDeps, row) => desiredState.disconnect(unit, wishDeps, row, true)),
    ),
  ];
}
