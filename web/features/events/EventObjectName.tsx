/** Names the object that an event is about; the ID where it has no name. */
import type { EventObject } from '../../api/types.ts';
import ui from '../../design/ui.module.css';
import { ObjectName } from '../../patterns/ObjectName.tsx';
import { getObjectId, getObjectName, getOwnerId } from './event-object.ts';

export function EventObjectName({ event }: { event: EventObject }) {
  const id = getObjectId(event);
  const name = getObjectName(event);
  const owner = getOwnerId(event);
  if (name !== undefined)
    return (
      <span title={id} dir="auto">
        {name}
      </span>
    );
  return owner === undefined ? <span className={ui.mono}>{id ?? '–'}</span> : <ObjectName id={owner} />;
}
