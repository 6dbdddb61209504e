/** Metadata in a form: pairs in the order in which they were typed. */

export interface MetadataPair {
  /** Identifies the pair while it is edited. */
  key: number;
  name: string;
  value: string;
}

let keys = 0;
export const newPair = (name = '', value = ''): MetadataPair => ({ key: ++keys, name, value });

export const toPairs = (metadata: Readonly<Record<string, string>> | undefined): MetadataPair[] =>
  Object.entries(metadata ?? {}).map(([name, value]) => newPair(name, value));

/** Returns the metadata of the API. Pairs without a name are left out. */
export const getMetadata = (pairs: readonly MetadataPair[]): Record<string, string> =>
  Object.fromEntries(pairs.flatMap(({ name, value }) => (name.trim() ? [[name.trim(), value]] : [])));
