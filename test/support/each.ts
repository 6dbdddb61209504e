const AT_ONCE = 8;

/** Does work for each item in parallel, a few at once. */
export async function each<T>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const next = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of next) await work(item, index);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
