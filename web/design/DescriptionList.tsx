/** Labels and values of one object, one below the other. */
import { DataList } from '@mantine/core';

/** A label and its value; null leaves the row out. */
export type DescriptionItem = [label: string, value: React.ReactNode] | null;

export function DescriptionList({ rows }: { rows: DescriptionItem[] }) {
  return (
    <DataList labelWidth="92px" gap={9}>
      {rows
        .filter((row) => row !== null)
        .map(([label, value]) => (
          <DataList.Item key={label}>
            <DataList.ItemLabel>{label}</DataList.ItemLabel>
            <DataList.ItemValue>{value}</DataList.ItemValue>
          </DataList.Item>
        ))}
    </DataList>
  );
}
