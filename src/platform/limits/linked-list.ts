/** A doubly linked list: what it holds is removed from anywhere in O(1). */

export interface Link<T> {
  readonly value: T;
  before: Link<T> | null;
  after: Link<T> | null;
}

export class LinkedList<T> {
  first: Link<T> | null = null;
  last: Link<T> | null = null;

  /** Adds a value at the end. */
  append(value: T): Link<T> {
    const link: Link<T> = { value, before: this.last, after: null };
    if (this.last) this.last.after = link;
    else this.first = link;
    this.last = link;
    return link;
  }

  /** Removes a link that is in this list. */
  remove({ before, after }: Link<T>): void {
    if (before) before.after = after;
    else this.first = after;
    if (after) after.before = before;
    else this.last = before;
  }
}
