/**
 * Which groups of the navigation are open: always the one with the current page, and as many others as fit the window,
 * those that were used last first.
 */

interface Group {
  label: string | null;
  items: readonly unknown[];
}

/** Pixels of an entry, and of the label of a group with its margins. */
const ITEM = 30;
const LABEL = 32;

/**
 * @param groups in order; groups without a label don't fold
 * @param available pixels
 * @param active label of the group with the current page
 * @param chosen the groups that the user opened or closed
 * @param recent labels of groups, the one used last first
 */
export function openGroups(
  groups: readonly Group[],
  available: number,
  active: string | null,
  chosen: Readonly<Record<string, boolean>>,
  recent: readonly string[] = [],
): ReadonlySet<string> {
  const labels = groups.flatMap(({ label }) => (label === null ? [] : [label]));
  const size = (label: string) => (groups.find((group) => group.label === label)?.items.length ?? 0) * ITEM;
  const fixed = groups
    .filter(({ label }) => label === null)
    .reduce((sum, { items }) => sum + items.length * ITEM, 0);
  let left = available - fixed - labels.length * LABEL;
  const open = new Set<string>();
  const isWanted = (label: string) => label === active || chosen[label] === true;
  const byUse = [...new Set([...labels.filter(isWanted), ...recent, ...labels])];
  for (const label of byUse) {
    if (!labels.includes(label)) continue;
    if (label !== active && chosen[label] === false) continue;
    if (!isWanted(label) && size(label) > left) continue;
    open.add(label);
    left -= size(label);
  }
  return open;
}
