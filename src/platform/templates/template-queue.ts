/**
 * Requests that wait for a worker: persons take turns, then their workspaces. Workspaces that go slowly wait in a line of
 * their own, which takes turns with the other one.
 */
import { createFairQueue } from '../limits/fair-queue.ts';

export interface Waiting {
  /** Whom the workspace counts for. */
  person: string;
  workspaceId: string;
}

/** @param options `max`: requests that may wait in each line; `onDropped` receives those that others take the room of */
export function createTemplateQueue<T extends Waiting>(options: {
  max: number;
  isSlow: (workspaceId: string) => boolean;
  onDropped: (item: T) => void;
}) {
  const { isSlow } = options;
  const line = createFairQueue<T>(options);
  const slowLine = createFairQueue<T>(options);
  /** They had their turn. */
  const returned: T[] = [];
  let slowIsNext = true;

  const getPath = ({ person, workspaceId }: T): [string, string] => [person, workspaceId];
  const takeFast = (): T | undefined => {
    for (let item = line.take(); item; item = line.take()) {
      if (!isSlow(item.workspaceId)) return item;
      slowLine.add(getPath(item), item);
    }
    return undefined;
  };

  return {
    get size(): number {
      return line.size + slowLine.size + returned.length;
    },
    add(item: T): void {
      line.add(getPath(item), item);
    },
    /** Before all others. */
    requeue(item: T): void {
      returned.unshift(item);
    },
    /** @param slowToo whether one of a workspace that goes slowly may be next */
    take(slowToo: boolean): T | undefined {
      const at = returned.findIndex(({ workspaceId }) => slowToo || !isSlow(workspaceId));
      if (at !== -1) return returned.splice(at, 1)[0];
      const first = slowToo && slowIsNext ? slowLine.take() : takeFast();
      if (slowToo) slowIsNext = !slowIsNext;
      return first ?? takeFast() ?? (slowToo ? slowLine.take() : undefined);
    },
  };
}
