/** The header of a link's page: short link, destination and actions. */
import { Button } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { rich, t } from '../../copy/text.ts';
import type { Link } from '../../api/types.ts';
import { shownAddress } from '../../design/addresses.ts';
import { CopyButton } from '../../design/CopyButton.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { MiddleCut } from '../../design/MiddleCut.tsx';
import { DetailHeader } from '../../patterns/DetailPage.tsx';
import type { Action } from '../../patterns/actions/action.ts';
import { ActionButtons } from '../../patterns/actions/ActionButtons.tsx';
import { LinkState } from './LinkState.tsx';

export const BACK = { label: t('Links'), to: '/w/$workspace/links' } as const;

interface LinkHeaderProps {
  link: Link;
  actions: readonly Action<Link>[];
}

export function LinkHeader({ link, actions }: LinkHeaderProps) {
  return (
    <DetailHeader
      back={BACK}
      title={shownAddress(link.short_url)}
      beside={<CopyButton text={link.short_url} label={t('Copy short link')} />}
      status={<LinkState state={link.state} />}
      description={
        <>
          {link.title !== null && <div dir="auto">{link.title}</div>}
          <MiddleCut text={link.url} />
          {link.expires_at !== null && link.state !== 'expired' && (
            <div>
              {rich('Expires <time>then</time>', { time: () => <RelativeTime at={link.expires_at} /> })}
            </div>
          )}
        </>
      }
    >
      <Button
        component="a"
        href={link.short_url}
        target="_blank"
        rel="noreferrer"
        variant="default"
        leftSection={<IconExternalLink size={16} />}
      >
        {t('Visit')}
      </Button>
      <ActionButtons record={link} of={shownAddress(link.short_url)} actions={actions} />
    </DetailHeader>
  );
}
