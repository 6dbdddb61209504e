/** Lists what an instance can send and do, as the API reports it. */
import { Stack, Text, Title } from '@mantine/core';
import { formatNumber, plural, t } from '../../copy/text.ts';
import type { Capabilities } from '../../api/types.ts';
import { Chips } from '../../design/Chips.tsx';
import { type DescriptionItem, DescriptionList } from '../../design/DescriptionList.tsx';
import ui from '../../design/ui.module.css';
import classes from './instance.module.css';

const UNITS = ['B', 'KiB', 'MiB', 'GiB'];

/** 16777216 → "16 MiB". */
function bytes(value: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, value)) / 10));
  return `${formatNumber(Math.round((value / 1024 ** power) * 10) / 10)} ${UNITS[power]}`;
}

function getPace({ per_second: all, per_chat: chat }: Capabilities['pacing']): string {
  const bounds = [
    ...(all === null ? [] : [t('{count} messages per second', { count: formatNumber(all) })]),
    ...(chat === null ? [] : [t('{count} per second in each chat', { count: formatNumber(chat) })]),
  ];
  return bounds.join(', ') || t('No limit');
}

/** Formats how long after sending an operation is possible. */
function within(seconds: number | null): string {
  if (seconds === null) return t('Any time');
  const hours = seconds / 3600;
  return hours >= 1
    ? plural(hours, { one: 'Within {count} hour', other: 'Within {count} hours' })
    : plural(seconds / 60, { one: 'Within {count} minute', other: 'Within {count} minutes' });
}

/** The operations on groups, by their name in the API. */
const GROUP_OPERATIONS: readonly (readonly [Capabilities['operations'][number], string])[] = [
  ['groups', t('Leave groups; edit them; remove participants')],
  ['group_create', t('Create groups')],
  ['group_join', t('Join groups')],
  ['group_add', t('Add participants')],
  ['group_promote', t('Promote and demote participants')],
  ['group_description', t('Description')],
  ['group_picture', t('Picture')],
  ['group_ban', t('Ban and unban participants')],
  ['group_invite', t('Invitation link')],
  ['group_invite_revoke', t('Replace the invitation link')],
  ['group_announce_only', t('Setting: only admins can send messages')],
  ['group_locked', t('Setting: only admins can edit the group')],
  ['group_members_only', t('Setting: only invited people can join')],
];
const GROUP_OPERATION_NAMES = new Set(GROUP_OPERATIONS.map(([operation]) => operation));

const can = ({ operations }: Capabilities, operation: Capabilities['operations'][number]): boolean =>
  operations.includes(operation);

export function CapabilityTables({ capabilities }: { capabilities: Capabilities }) {
  const { types, operations, pacing, limits } = capabilities;
  const rows: DescriptionItem[] = [
    [
      t('Operations'),
      <Chips items={operations.filter((one) => !GROUP_OPERATION_NAMES.has(one))} none={t('Sending only')} />,
    ],
    [t('Rate limit'), getPace(pacing)],
    [t('Concurrency'), plural(pacing.concurrency, { one: '{count} chat', other: '{count} chats' })],
    can(capabilities, 'edit') ? [t('Edit'), within(limits.edit_within)] : null,
    can(capabilities, 'revoke') ? [t('Revoke'), within(limits.revoke_within)] : null,
  ];
  return (
    <Stack maw={860} gap="lg" className={classes.capabilities}>
      <div className={classes.types}>
        <table aria-label={t('Message types')}>
          <thead>
            <tr>
              <th scope="col">{t('Type')}</th>
              <th scope="col">{t('Max text length')}</th>
              <th scope="col">{t('Max file size')}</th>
              <th scope="col">{t('File types')}</th>
            </tr>
          </thead>
          <tbody>
            {Object.entries(types).map(([type, limit]) => (
              <tr key={type}>
                <th scope="row" className={ui.mono}>
                  {type}
                </th>
                <td>{limit.max_text === null ? t('No text') : formatNumber(limit.max_text)}</td>
                <td>{limit.max_bytes === null ? t('No file') : bytes(limit.max_bytes)}</td>
                <td className={ui.mono}>
                  {limit.max_bytes === null ? '–' : (limit.mime_types?.join(', ') ?? t('Any'))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {Object.keys(types).length === 0 && <Text c="dimmed">{t("This channel can't send messages.")}</Text>}
      <Title order={2}>{t('Other capabilities')}</Title>
      <DescriptionList rows={rows} />
      <Title order={2}>{t('Groups')}</Title>
      {can(capabilities, 'groups') ? (
        <GroupTable capabilities={capabilities} />
      ) : (
        <Text c="dimmed">{t("This channel doesn't support groups.")}</Text>
      )}
      <Text size="xs" c="dimmed">
        {t("Requests for anything not listed here fail with unsupported_by_channel and aren't queued.")}
      </Text>
    </Stack>
  );
}

function GroupTable({ capabilities }: { capabilities: Capabilities }) {
  const { group_members: max } = capabilities.limits;
  return (
    <>
      <Text>
        {max === null
          ? t('Groups have no size limit.')
          : t('Groups can have up to {max} members.', { max: formatNumber(max) })}
      </Text>
      <div className={classes.types}>
        <table aria-label={t('Group operations')}>
          <thead>
            <tr>
              <th scope="col">{t('Operation')}</th>
              <th scope="col">{t('Description')}</th>
              <th scope="col">{t('Supported')}</th>
            </tr>
          </thead>
          <tbody>
            {GROUP_OPERATIONS.map(([operation, description]) => (
              <tr key={operation}>
                <th scope="row" className={ui.mono}>
                  {operation}
                </th>
                <td>{description}</td>
                <td>{can(capabilities, operation) ? t('Yes') : t('No')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
