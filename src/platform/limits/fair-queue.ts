/**
 * A bounded queue with max-min fair shares of its room and of its turns.
 *
 * Each value waits under a path of keys, such as workspace and object, or address and email. Keys take turns (round
 * robin), and within the turn of a key the keys below it do. Of `k` keys of one parent that wait, none is served twice
 * before the others were served once. When the room is full, the newest value of the key with the most waiting is
 * dropped, not whoever comes last: a key's share shrinks with the number of keys that wait, and a key that asks for less
 * than its share is never dropped for one that asks for more. A key exists only while something waits under it.
 *
 * Every operation takes O(length of the path); `take` also visits the keys that it passes over.
 */
import { type Link, LinkedList } from './linked-list.ts';

interface Node<T> {
  key: string;
  parent: Node<T> | null;
  /** How many values wait here and below. */
  size: number;
  children: Map<string, Node<T>>;
  /** The children in order of their turns. */
  turns: LinkedList<Node<T>>;
  /** The children by size; in each list the one that reached the size last is at the end. */
  bySize: Map<number, LinkedList<Node<T>>>;
  /** The size of the largest child; 0 without children. */
  largest: number;
  /** Of a leaf: what waits, in order of arrival. */
  values: LinkedList<T>;
  /** The places in lists of the parent. */
  turn: Link<Node<T>> | null;
  ranked: Link<Node<T>> | null;
}

/** A value that waits. */
export interface Entry<T> {
  readonly link: Link<T>;
  readonly leaf: Node<T>;
}

export interface FairQueue<T> {
  /** How many values wait. */
  readonly size: number;
  /**
   * Adds a value. One value may be dropped for it, possibly this one.
   * @param path from the widest key to the narrowest; no path may be the beginning of another one
   */
  add(path: readonly string[], value: T): Entry<T>;
  /**
   * Removes and returns the value whose turn it is; undefined if none waits.
   * @param isSkipped whether a key, at its depth in the path, is passed over; it keeps its turn
   */
  take(isSkipped?: (key: string, depth: number) => boolean): T | undefined;
  /** Removes a value that waits. */
  remove(entry: Entry<T>): void;
}

const createNode = <T>(key: string, parent: Node<T> | null): Node<T> => ({
  key,
  parent,
  size: 0,
  children: new Map(),
  turns: new LinkedList(),
  bySize: new Map(),
  largest: 0,
  values: new LinkedList(),
  turn: null,
  ranked: null,
});

/** Changes a node's size by one and keeps its parent's order by size. */
function resize<T>(node: Node<T>, by: 1 | -1): void {
  const { parent, size } = node;
  node.size += by;
  if (!parent) return;
  if (node.ranked) {
    const peers = parent.bySize.get(size)!;
    peers.remove(node.ranked);
    if (!peers.first) {
      parent.bySize.delete(size);
      if (parent.largest === size) parent.largest = node.size;
    }
  }
  if (node.size === 0) {
    parent.children.delete(node.key);
    parent.turns.remove(node.turn!);
    return;
  }
  let peers = parent.bySize.get(node.size);
  if (!peers) parent.bySize.set(node.size, (peers = new LinkedList()));
  node.ranked = peers.append(node);
  parent.largest = Math.max(parent.largest, node.size);
}

function resizeAll<T>(leaf: Node<T>, by: 1 | -1): void {
  for (let node: Node<T> | null = leaf; node; node = node.parent) resize(node, by);
}

function getChild<T>(parent: Node<T>, key: string): Node<T> {
  const known = parent.children.get(key);
  if (known) return known;
  if (parent.values.first) throw new Error('a path is the beginning of another one');
  const child = createNode(key, parent);
  parent.children.set(key, child);
  child.turn = parent.turns.append(child);
  return child;
}

/** @returns the leaf whose turn it is; null if all are passed over */
function findNext<T>(
  node: Node<T>,
  depth: number,
  isSkipped: (key: string, depth: number) => boolean,
): Node<T> | null {
  if (!node.turns.first) return node;
  for (let turn: Link<Node<T>> | null = node.turns.first; turn; turn = turn.after) {
    const found = isSkipped(turn.value.key, depth) ? null : findNext(turn.value, depth + 1, isSkipped);
    if (found) return found;
  }
  return null;
}

/**
 * @param options `max`: values that may wait in all; `maxPerPath`: that may wait under one path; `onDropped` receives
 * each value that is dropped
 */
export function createFairQueue<T>({
  max,
  maxPerPath = Infinity,
  onDropped,
}: {
  max: number;
  maxPerPath?: number;
  onDropped: (value: T) => void;
}): FairQueue<T> {
  const root = createNode<T>('', null);

  const remove = ({ link, leaf }: Entry<T>): void => {
    leaf.values.remove(link);
    resizeAll(leaf, -1);
  };

  const drop = (from: Node<T>): void => {
    let node = from;
    while (node.largest > 0) node = node.bySize.get(node.largest)!.last!.value;
    const link = node.values.last!;
    remove({ link, leaf: node });
    onDropped(link.value);
  };

  return {
    get size() {
      return root.size;
    },
    add(path, value) {
      const leaf = path.reduce(getChild, root);
      if (leaf.largest > 0) throw new Error('a path is the beginning of another one');
      const entry = { link: leaf.values.append(value), leaf };
      resizeAll(leaf, 1);
      if (leaf.size > maxPerPath) drop(leaf);
      else if (root.size > max) drop(root);
      return entry;
    },
    take(isSkipped = () => false) {
      const leaf = findNext(root, 0, isSkipped);
      const link = leaf?.values.first;
      if (!link) return undefined;
      for (let node = leaf; node.parent; node = node.parent) {
        node.parent.turns.remove(node.turn!);
        node.turn = node.parent.turns.append(node);
      }
      remove({ link, leaf });
      return link.value;
    },
    remove,
  };
}
