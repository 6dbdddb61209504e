/** A list that grows at its top while you look at it: events, deliveries, runs, clicks. */
import type { ComponentProps } from 'react';
import { ResourceList } from '../list/ResourceList.tsx';
import { type Live, LiveControl } from './LiveControl.tsx';

type LiveLogProps<T extends { id: string }> = Omit<ComponentProps<typeof ResourceList<T>>, 'beside'> & {
  live: Live;
  beside?: React.ReactNode;
};

export function LiveLog<T extends { id: string }>({ live, beside, ...list }: LiveLogProps<T>) {
  return (
    <ResourceList
      {...list}
      beside={
        <>
          {beside}
          <LiveControl {...live} />
        </>
      }
    />
  );
}
