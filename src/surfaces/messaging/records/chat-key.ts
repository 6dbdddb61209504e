/**
 * The cursor of chat lists: the latest activity in microseconds since 1970 (`-` if there is no message yet), and the
 * ID.
 */
const KEY = /^(\d{1,17}|-)_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

export const isChatKey = (key: string): boolean => KEY.test(key);

export const getChatKey = ({ activity, id }: { activity: number | null; id: string }): string =>
  `${activity ?? '-'}_${id}`;

/** @param key one that `isChatKey` */
export function readChatKey(key: string): { activity: string; id: string } {
  const [, activity, id] = KEY.exec(key)!;
  return { activity: activity!, id: id! };
}
