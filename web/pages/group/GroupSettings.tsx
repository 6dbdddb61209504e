/** How a group works, as switches; its invitation; and what is known of it. */
import { Loader, Stack, Switch, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { updateGroup } from '../../api/groups.ts';
import type { Group } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { DescriptionList } from '../../ui/DescriptionList.tsx';
import { Id } from '../../ui/Id.tsx';
import { JsonView } from '../../ui/JsonView.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import ui from '../../ui/ui.module.css';
import {
  managementBlock,
  membershipWord,
  getBlock,
  participantName,
  settingsOf,
} from '../groups/group-text.ts';
import type { GroupPart } from './group-actions.ts';
import classes from './group.module.css';
import { Invitation } from './Invitation.tsx';

export function GroupSettings(part: GroupPart) {
  return (
    <div className={classes.settings}>
      <Stack gap="xl">
        <Switches {...part} />
        <Invitation {...part} />
      </Stack>
      <About group={part.group} />
    </div>
  );
}

type Settings = Partial<Group['settings']>;

function Switches({ group, instance }: GroupPart) {
  const { workspace } = useWorkspace();
  const writes = useCan('groups:write');
  const [wanted, setWanted] = useState<Settings>({});
  const { mutate, isPending, error } = useAction((settings: Settings) =>
    updateGroup(workspace.id, group.id, { settings }),
  );
  const settings = settingsOf(instance);
  const [first] = settings;
  if (!first)
    return (
      <section aria-label="Settings">
        <Title order={2}>Settings</Title>
        <Text c="dimmed" mt="xs">
          {instance ? 'Groups of this channel have no settings.' : 'Loading…'}
        </Text>
      </section>
    );
  const obstacle = managementBlock(group, instance, writes);
  const shown = isPending ? { ...group.settings, ...wanted } : group.settings;
  const example = Object.keys(wanted).length > 0 ? wanted : { [first.name]: !group.settings[first.name] };
  return (
    <section aria-label="Settings">
      <div className={classes.titled}>
        <Title order={2}>Settings</Title>
        {isPending && <Loader size={14} aria-label="The channel is being asked" />}
      </div>
      <Stack gap="sm" mt="sm">
        {/* What stands against any change is told above the tabs. */}
        {obstacle !== null && getBlock(group, instance, writes) === null && (
          <Text c="dimmed" size="xs">
            {obstacle}
          </Text>
        )}
        {settings.map(({ name, label, description }) => (
          <Switch
            key={name}
            label={label}
            description={description}
            checked={shown[name]}
            disabled={obstacle !== null || isPending}
            onChange={({ currentTarget: { checked } }) => {
              setWanted({ [name]: checked });
              mutate({ [name]: checked });
            }}
          />
        ))}
        {error && <ProblemAlert error={error} />}
        <AsCurl call={{ method: 'PATCH', path: `/groups/${group.id}`, body: { settings: example } }} />
      </Stack>
    </section>
  );
}

function About({ group }: { group: Group }) {
  const { owner, membership, role, metadata, created_by: by } = group;
  return (
    <section aria-label="What is known of it" className={classes.about}>
      <DescriptionList
        rows={[
          ['Id', <Id id={group.id} />],
          [
            'At the channel',
            <span className={`${ui.mono} ${classes.clamped}`} title={group.external_id}>
              {group.external_id}
            </span>,
          ],
          ['Your account', membership === 'joined' ? (role ?? 'in it') : membershipWord(membership)],
          owner === null
            ? null
            : [
                'Owner',
                <span className={classes.clamped} dir="auto" title={owner.address}>
                  {participantName(owner)}
                </span>,
              ],
          ['Known since', <RelativeTime at={group.created_at} />],
          by === null ? ['Made by', 'the channel told of it first'] : ['Made by', <Id id={by} short />],
        ]}
      />
      {Object.keys(metadata).length > 0 && <JsonView value={metadata} />}
      <AsCurl call={{ method: 'GET', path: `/groups/${group.id}` }} />
    </section>
  );
}
