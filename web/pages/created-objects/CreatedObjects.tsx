/** The objects that a key or member created, as a short list that scrolls. */
import type { CreatedObject } from '../../api/types.ts';
import classes from './created-objects.module.css';

const TYPES: Record<CreatedObject['type'], string> = {
  api_key: 'API key',
  webhook: 'Webhook',
  inspector: 'Inspector',
  instance: 'Instance',
  publishing_endpoint: 'Publishing endpoint',
  rule: 'Rule',
};

export function CreatedObjects({ objects }: { objects: CreatedObject[] }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a long list is scrolled by keys
    <div className={classes.list} role="group" aria-label="Created objects" tabIndex={0}>
      <ul>
        {objects.map(({ id, type, name, enabled }) => (
          <li key={id} className={classes.row}>
            <span className={classes.type}>{TYPES[type]}</span>
            <span className={classes.name} title={name}>
              {name}
            </span>
            {!enabled && <span className={classes.type}>not in use</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}
