/** What an account can send and do, as the API tells it. */
import { Stack, Text, Title } from '@mantine/core';
import type { Capabilities } from '../../api/types.ts';
import { Chips } from '../../ui/Chips.tsx';
import { type Fact, Facts } from '../../ui/Facts.tsx';
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

const can = ({ operations }: Capabilities, operation: Capabilities['operations'][number]): boolean =>
  operations.includes(operation);

export function CapabilityTables({ capabilities }: { capabilities: Capabilities }) {
  const { types, operations, pacing, limits } = capabilities;
  const rows: Fact[] = [
    ['Operations', <Chips items={operations} none="none besides sending" />],
    ['Pace', paceOf(pacing)],
    ['At once', `${count.format(pacing.concurrency)} chats`],
    can(capabilities, 'edit') ? ['Edit', within(limits.edit_within, 'at any time')] : null,
    can(capabilities, 'revoke') ? ['Take back', within(limits.revoke_within, 'at any time')] : null,
    can(capabilities, 'groups')
      ? [
          'Groups',
          limits.group_members === null ? 'of any size' : `${count.format(limits.group_members)} members`,
        ]
      : null,
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
      <Facts rows={rows} />
      <Text size="xs" c="dimmed">
        What is not here is refused as unsupported_by_channel before anything is queued.
      </Text>
    </Stack>
  );
}
