/** Which groups of the navigation are open: all that fit the window, and always the one with the current page. */

interface Group {
  label: string | null;
  items: readonly unknown[];
}

/** Pixels of an entry, and of the label of a group with its margins. */
const ITEM = 30;
const LABEL = 32;

/**
 * @param groups in their order; groups without a label don't fold
 * @param available pixels
 * @param active label of the group with the current page
 * @param chosen what the user has opened and closed
 */
export function openGroups(
  groups: readonly Group[],
  available: number,
  active: string | null,
  chosen: Readonly<Record<string, boolean>>,
): ReadonlySet<string> {
  const labels = groups.flatMap(({ label }) => (label === null ? [] : [label]));
  const size = (label: string) => (groups.find((group) => group.label === label)?.items.length ?? 0) * ITEM;
  const fixed = groups
    .filter(({ label }) => label === null)
    .reduce((sum, { items }) => sum + items.length * ITEM, 0);
  let left = available - fixed - labels.length * LABEL;
  const open = new Set<string>();
  const isWanted = (label: string) => label === active || chosen[label] === true;
  for (const label of [...labels.filter(isWanted), ...labels.filter((one) => !isWanted(one))]) {
    if (label !== active && chosen[label] === false) continue;
    if (!isWanted(label) && size(label) > left) continue;
    open.add(label);
    left -= size(label);
  }
  return open;
}
