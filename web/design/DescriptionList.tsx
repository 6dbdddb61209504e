/** Labels and values of one object, one below the other. */
import { DataList } from '@mantine/core';

/** A label and its value; null leaves the row out. */
export type DescriptionItem = [label: string, value: React.ReactNode] | null;

const LABEL_PX = 92;
/** Longer labels push their own value aside. */
const MAX_CHARACTERS = 22;
/** Of a letter, on average. */
const LETTER_PX = 7;

export function DescriptionList({ rows }: { rows: DescriptionItem[] }) {
  const shown = rows.filter((row) => row !== null);
  const longest = Math.max(0, ...shown.map(([label]) => label.length));
  // All values begin at one edge.
  const width = Math.max(LABEL_PX, Math.min(longest, MAX_CHARACTERS) * LETTER_PX);
  return (
    <DataList labelWidth={`${width}px`} gap={9}>
      {shown.map(([label, value]) => (
        <DataList.Item key={label}>
          <DataList.ItemLabel>{label}</DataList.ItemLabel>
          <DataList.ItemValue>{value}</DataList.ItemValue>
        </DataList.Item>
      ))}
    </DataList>
  );
}
