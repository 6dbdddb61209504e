/** Requests that wait for a worker: round-robin across workspaces, in order within each. */

export interface Waiting {
  workspaceId: string;
}

export function createWorkspaceQueue<T extends Waiting>() {
  /** In the order of turns; none is empty. */
  const lines = new Map<string, T[]>();
  let size = 0;
  return {
    get size(): number {
      return size;
    },
    getSize: (workspaceId: string): number => lines.get(workspaceId)?.length ?? 0,
    add(item: T): void {
      const line = lines.get(item.workspaceId);
      if (line) line.push(item);
      else lines.set(item.workspaceId, [item]);
      size++;
    },
    /** Before all others of its workspace, which has the next turn. */
    requeue(item: T): void {
      const line = lines.get(item.workspaceId) ?? [];
      line.unshift(item);
      lines.set(item.workspaceId, line);
      size++;
    },
    /** The next of the first workspace that `may` have its turn now. */
    take(may: (workspaceId: string) => boolean): T | undefined {
      for (const [workspaceId, line] of lines) {
        if (!may(workspaceId)) continue;
        const item = line.shift()!;
        lines.delete(workspaceId);
        if (line.length) lines.set(workspaceId, line);
        size--;
        return item;
      }
      return undefined;
    },
    /** All of it, which is then gone from here. */
    drain(): T[] {
      const all = [...lines.values()].flat();
      lines.clear();
      size = 0;
      return all;
    },
  };
}
