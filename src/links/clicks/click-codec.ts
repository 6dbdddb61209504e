import type { ClickIds } from './click-record.ts';

/** Of a workspace and a link, given as UUIDs as the database has them: made once, used for every click of the link. */
export function clickIds(workspaceId: string, linkId: string): ClickIds {
  const bytes = Buffer.alloc(32);
  bytes.write(workspaceId.replaceAll('-', ''), 0, 'hex');
  bytes.write(linkId.replaceAll('-', ''), 16, 'hex');
  return new Int32Array(bytes.buffer, bytes.byteOffset, 8) as ClickIds;
}
