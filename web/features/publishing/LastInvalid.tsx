/** The requests to an endpoint that are in no list, because body or signature was invalid. */
import { Anchor } from '@mantine/core';
import type { PublishingEndpoint } from '../../api/types.ts';
import { plural, rich } from '../../copy/text.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import ui from '../../design/ui.module.css';
import { errorPage } from '../requests/request-text.ts';

interface LastInvalidProps {
  count: number;
  last: NonNullable<PublishingEndpoint['last_invalid_request']>;
}

export function LastInvalid({ count, last }: LastInvalidProps) {
  return (
    <span>
      {plural(count, { one: '{count} invalid request', other: '{count} invalid requests' })} ·{' '}
      {rich('Last: <code>code</code> <time>then</time>', {
        code: () => (
          <Anchor
            href={errorPage(last.code)}
            target="_blank"
            rel="noreferrer"
            className={ui.mono}
            data-tip={last.detail}
          >
            {last.code}
          </Anchor>
        ),
        time: () => <RelativeTime at={last.created_at} />,
      })}
    </span>
  );
}
