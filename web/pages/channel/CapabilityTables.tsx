/** What an account can send and do, as the API tells it. */
import { Stack, Text, Title } from '@mantine/core';
import type { Capabilities } from '../../api/types.ts';
import { Chips } from '../../ui/Chips.tsx';
import { type DescriptionItem, DescriptionList } from '../../ui/DescriptionList.tsx';
import ui from '../../ui/ui.module.css';
import classes from './channel.module.css';

const count = new Intl.NumberFormat('en');
const UNITS = ['B', 'KiB', 'MiB', 'GiB'];

/** 16777216 → "16 MiB". */
function bytes(value: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, value)) / 10));
  return `${count.format(Math.round((value / 1024 ** power) * 10) / 10)} ${UNITS[power]}`;
}

function paceOf({ per_second: all, per_chat: chat }: Capabilities['pacing']): string {
  const bounds = [
    ...(all === null ? [] : [`${count.format(all)} messages a second`]),
    ...(chat === null ? [] : [`${count.format(chat)} a second in a chat`]),
  ];
  return bounds.join(', ') || 'as fast as the channel takes them';
}

/** @param none what no bound means */
function within(seconds: number | null, none: string): string {
  if (seconds === null) return none;
  const hours = seconds / 3600;
  return hours >= 1 ? `within ${count.format(hours)} h` : `within ${count.format(seconds / 60)} min`;
}

/** What groups of a channel can have, as the API names it. */
const OF_GROUPS: readonly (readonly [Capabilities['operations'][number], string])[] = [
  ['groups', 'Make, join, leave; participants and their roles; subject'],
  ['group_description', 'Description'],
  ['group_picture', 'Picture'],
  ['group_ban', 'Ban and unban'],
  ['group_invite', 'Invitation that can be given on'],
  ['group_invite_revoke', 'Make the invitation anew'],
  ['group_announce_only', 'Setting: only owners and admins write'],
  ['group_locked', 'Setting: only owners and admins change it'],
  ['group_members_only', 'Setting: nobody comes in uninvited'],
];
const GROUP_OPERATIONS = new Set(OF_GROUPS.map(([operation]) => operation));

const can = ({ operations }: Capabilities, operation: Capabilities['operations'][number]): boolean =>
  operations.includes(operation);

export function CapabilityTables({ capabilities }: { capabilities: Capabilities }) {
  const { types, operations, pacing, limits } = capabilities;
  const rows: DescriptionItem[] = [
    [
      'Operations',
      <Chips items={operations.filter((one) => !GROUP_OPERATIONS.has(one))} none="none besides sending" />,
    ],
    ['Pace', paceOf(pacing)],
    ['At once', `${count.format(pacing.concurrency)} chats`],
    can(capabilities, 'edit') ? ['Edit', within(limits.edit_within, 'at any time')] : null,
    can(capabilities, 'revoke') ? ['Take back', within(limits.revoke_within, 'at any time')] : null,
  ];
  return (
    <Stack maw={860} gap="lg" className={classes.capabilities}>
      <div className={classes.types}>
        <table aria-label="Types of messages">
          <thead>
            <tr>
              <th scope="col">Type</th>
              <th scope="col">Most text</th>
              <th scope="col">Largest file</th>
              <th scope="col">Kinds of files</th>
            </tr>
          </thead>
          <tbody>
            {Object.entries(types).map(([type, limit]) => (
              <tr key={type}>
                <th scope="row" className={ui.mono}>
                  {type}
                </th>
                <td>{limit.max_text === null ? '–' : count.format(limit.max_text)}</td>
                <td>{limit.max_bytes === null ? '–' : bytes(limit.max_bytes)}</td>
                <td className={ui.mono}>
                  {limit.max_bytes === null ? '–' : (limit.mime_types?.join(', ') ?? 'any')}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {Object.keys(types).length === 0 && <Text c="dimmed">Nothing can be sent.</Text>}
      <Title order={2}>Beside sending</Title>
      <DescriptionList rows={rows} />
      <Title order={2}>Groups</Title>
      {can(capabilities, 'groups') ? (
        <GroupTable capabilities={capabilities} />
      ) : (
        <Text c="dimmed">The channel has no groups.</Text>
      )}
      <Text size="xs" c="dimmed">
        What is not here is refused as unsupported_by_channel before anything is queued.
      </Text>
    </Stack>
  );
}

function GroupTable({ capabilities }: { capabilities: Capabilities }) {
  const { group_members: most } = capabilities.limits;
  return (
    <>
      <Text>{most === null ? 'Of any size.' : `Of at most ${count.format(most)} members.`}</Text>
      <div className={classes.types}>
        <table aria-label="What groups can have">
          <thead>
            <tr>
              <th scope="col">Operation</th>
              <th scope="col">What it is</th>
              <th scope="col">Here</th>
            </tr>
          </thead>
          <tbody>
            {OF_GROUPS.map(([operation, words]) => (
              <tr key={operation}>
                <th scope="row" className={ui.mono}>
                  {operation}
                </th>
                <td>{words}</td>
                <td>{can(capabilities, operation) ? 'yes' : '–'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
