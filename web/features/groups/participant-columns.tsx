/** Columns of the table of participants. */
import { Text } from '@mantine/core';
import atoms from '../../design/atoms.module.css';
import { t } from '../../copy/text.ts';
import type { GroupParticipant } from '../../api/types.ts';
import type { Column } from '../../patterns/table/column.ts';
import { PersonMark } from '../../design/PersonMark.tsx';
import ui from '../../design/ui.module.css';
import { participantName, roleLabel } from './group-text.ts';
import classes from './group.module.css';

export type ParticipantRow = GroupParticipant & { id: string };

/** @param own address of the instance */
export const participantColumns = (own: string | null | undefined): Column<ParticipantRow>[] => [
  {
    key: 'name',
    fixed: true,
    title: t('Name'),
    render: (participant) => {
      const name = participantName(participant);
      const isOwn = participant.address === own;
      return (
        <div className={atoms.named}>
          <PersonMark name={name} address={participant.address} />
          <div className={classes.personNames}>
            <Text truncate dir="auto" title={name}>
              {name}
              {isOwn && <span className={classes.own}>{t('this instance')}</span>}
            </Text>
            {name !== participant.address && (
              <Text
                size="xs"
                c="dimmed"
                truncate
                className={`${ui.mono} ${ui.narrowOnly}`}
                title={participant.address}
              >
                {participant.address}
              </Text>
            )}
          </div>
        </div>
      );
    },
  },
  {
    key: 'address',
    title: t('Address'),
    from: 'medium',
    render: ({ address }) => (
      <Text truncate className={`${ui.mono} ${classes.personAddress}`} title={address}>
        {address}
      </Text>
    ),
  },
  {
    key: 'role',
    title: t('Role'),
    width: 90,
    render: ({ role }) => roleLabel(role),
  },
];
