/**
 * Renders untrusted text. URLs become links that send no referrer, and mentions are highlighted.
 */
import { UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../copy/text.ts';
import atoms from '../../design/atoms.module.css';
import classes from './bubble.module.css';
import { type Mention, splitMentions } from './people.ts';
import marks from './mentions.module.css';

/** Characters shown before the text is expanded. */
const SHOWN = 1500;
const ADDRESS = /(https?:\/\/[^\s<>"'`]*[^\s<>"'`.,:;!?)\]}])/i;
const NONE: readonly Mention[] = [];

/** Parts with an odd index are URLs. */
const getParts = (text: string) =>
  text.split(ADDRESS).map((part, at) => ({ part, at, isLink: at % 2 === 1 }));

export function LinkedText({ text, mentions = NONE }: { text: string; mentions?: readonly Mention[] }) {
  const [whole, setWhole] = useState(false);
  const isLong = text.length > SHOWN;
  const shown = isLong && !whole ? `${text.slice(0, SHOWN).toWellFormed()}…` : text;
  return (
    <div className={`${classes.text} ${atoms.written}`} dir="auto">
      {getParts(shown).map(({ part, at, isLink }) =>
        isLink ? (
          <a key={at} href={part} target="_blank" rel="noopener noreferrer nofollow">
            {part}
          </a>
        ) : mentions.length > 0 ? (
          <Mentioning key={at} text={part} mentions={mentions} />
        ) : (
          part
        ),
      )}
      {isLong && (
        <UnstyledButton className={classes.whole} onClick={() => setWhole(!whole)}>
          {whole ? t('Show less') : t('Show more')}
        </UnstyledButton>
      )}
    </div>
  );
}

function Mentioning({ text, mentions }: { text: string; mentions: readonly Mention[] }) {
  return splitMentions(text, mentions).map(({ text: part, at, mention }) =>
    mention ? (
      <span key={at} className={marks.mention} data-own={mention.isOwn || undefined} title={mention.address}>
        {part}
      </span>
    ) : (
      part
    ),
  );
}
