/** Returns the body of a PATCH: the wanted values that differ from the current ones. Values are compared as JSON. */
export const changes = <T extends object>(wanted: T, present: object): Partial<T> => {
  const before = new Map(Object.entries(present));
  return Object.fromEntries(
    Object.entries(wanted).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before.get(name)),
    ),
  ) as Partial<T>;
};
