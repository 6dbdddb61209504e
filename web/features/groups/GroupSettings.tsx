/** The settings, invitation link and details of a group. */
import { Loader, Stack, Switch, Text, Title } from '@mantine/core';
import { useState } from 'react';
import atoms from '../../design/atoms.module.css';
import { t } from '../../copy/text.ts';
import { updateGroup } from '../../api/groups.ts';
import type { Group } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { useCan } from '../../api/workspace-context.ts';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { DescriptionList } from '../../design/DescriptionList.tsx';
import { Id } from '../../design/Id.tsx';
import { JsonView } from '../../design/JsonView.tsx';
import { ProblemAlert } from '../../patterns/ProblemAlert.tsx';
import { exactTime } from '../../design/time.ts';
import ui from '../../design/ui.module.css';
import { getManagementBlock, standingLabel, getBlock, participantName, getSettings } from './group-text.ts';
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
  const writes = useCan('groups:write');
  const [requested, setRequested] = useState<Settings>({});
  const toCall = (settings: Settings) => updateGroup(group.id, { settings });
  const { mutate, isPending, error } = useAction(toCall);
  const settings = getSettings(instance);
  const [first] = settings;
  if (!first)
    return (
      <section aria-label={t('Settings')}>
        <Title order={2}>{t('Settings')}</Title>
        <Text c="dimmed" mt="xs">
          {instance ? t('This channel has no group settings.') : t('Loading…')}
        </Text>
      </section>
    );
  const block = getManagementBlock(group, instance, writes);
  const shown = isPending ? { ...group.settings, ...requested } : group.settings;
  const example =
    Object.keys(requested).length > 0 ? requested : { [first.name]: !group.settings[first.name] };
  return (
    <section aria-label={t('Settings')}>
      <div className={atoms.rowWide}>
        <Title order={2}>{t('Settings')}</Title>
        {isPending && <Loader size={14} aria-label={t('Waiting for the channel')} />}
      </div>
      <Stack gap="sm" mt="sm">
        {/* Blocks that affect the whole group are shown above the tabs. */}
        {block !== null && getBlock(group, instance, writes) === null && (
          <Text c="dimmed" size="xs">
            {block}
          </Text>
        )}
        {settings.map(({ name, label, description }) => (
          <Switch
            key={name}
            label={label}
            description={description}
            checked={shown[name]}
            disabled={block !== null || isPending}
            onChange={({ currentTarget: { checked } }) => {
              setRequested({ [name]: checked });
              mutate({ [name]: checked });
            }}
          />
        ))}
        {error && <ProblemAlert error={error} />}
        <AsCurl call={toCall(example)} />
      </Stack>
    </section>
  );
}

function About({ group }: { group: Group }) {
  const { owner, metadata, created_by: by } = group;
  return (
    <section aria-label={t('Details')} className={atoms.stack}>
      <DescriptionList
        rows={[
          [t('ID'), <Id id={group.id} />],
          [
            t('External ID'),
            <span className={`${ui.mono} ${classes.clamped}`} title={group.external_id}>
              {group.external_id}
            </span>,
          ],
          [t('Membership'), standingLabel(group)],
          owner === null
            ? null
            : [
                t('Owner'),
                <span className={classes.clamped} dir="auto" title={owner.address}>
                  {participantName(owner)}
                </span>,
              ],
          [t('Created'), exactTime(group.created_at)],
          by === null ? [t('Created by'), t('The channel')] : [t('Created by'), <Id id={by} short />],
        ]}
      />
      {Object.keys(metadata).length > 0 && <JsonView value={metadata} />}
      <AsCurl call={{ method: 'GET', path: `/groups/${group.id}` }} />
    </section>
  );
}
