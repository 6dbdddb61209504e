/** Lists the objects that a key or member created, in a box that scrolls. */
import atoms from '../../design/atoms.module.css';
import { t } from '../../copy/text.ts';
import type { CreatedObject } from '../../api/types.ts';
import classes from './created-objects.module.css';

const TYPES: Record<CreatedObject['type'], string> = {
  api_key: t('API key'),
  webhook: t('Webhook'),
  inspector: t('Inspector'),
  instance: t('Instance'),
  publishing_endpoint: t('Publishing endpoint'),
  rule: t('Rule'),
};

export function CreatedObjects({ objects }: { objects: CreatedObject[] }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a long list is scrolled by keys
    <div className={classes.list} role="group" aria-label={t('Created objects')} tabIndex={0}>
      <ul className={atoms.plainList}>
        {objects.map(({ id, type, name, enabled }) => (
          <li key={id} className={classes.row}>
            <span className={classes.type}>{TYPES[type]}</span>
            <span className={atoms.cutRest} title={name}>
              {name}
            </span>
            {!enabled && <span className={classes.type}>{t('Disabled')}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}
