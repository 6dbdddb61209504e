/**
 * Signed URLs of files, for receivers without a key: `{BASE_URL}/media/{token}`. The token names workspace, file and
 * expiry and is signed; it is stored nowhere, so deleting the file is what revokes it.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { parse, stringify } from 'uuid';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';

const HOUR = 3600;
/** URLs created within the same step of this many seconds are identical, so that responses can be cached. */
const STEP = 900;
/** Workspace, file, expiry, signature. */
const [FILE_AT, EXPIRY_AT, SIGNATURE_AT, LENGTH] = [16, 32, 36, 68];

export interface MediaToken {
  workspaceId: string;
  id: string;
  expiresAt: Date;
}

export interface MediaUrls {
  /** Creates a URL that is valid for 60 to 75 minutes. */
  sign(workspaceId: string, id: string, now: Date): { url: string; expiresAt: Date };
  /** Reads a token, expired or not; null if its signature is invalid. */
  read(token: string): MediaToken | null;
}

export function createMediaUrls(secrets: Pick<SecretBox, 'deriveAll'>, baseUrl: string): MediaUrls {
  const keys = secrets.deriveAll('media-url');
  const getSignature = (said: Buffer, key = keys[0]): Buffer =>
    createHmac('sha256', key).update(said).digest();
  return {
    sign(workspaceId, id, now) {
      const expiry = Math.ceil(now.getTime() / 1000 / STEP) * STEP + HOUR;
      const said = Buffer.alloc(SIGNATURE_AT);
      said.set(parse(workspaceId), 0);
      said.set(parse(id), FILE_AT);
      said.writeUInt32BE(expiry, EXPIRY_AT);
      const token = Buffer.concat([said, getSignature(said)]).toString('base64url');
      return { url: `${baseUrl}/media/${token}`, expiresAt: new Date(expiry * 1000) };
    },
    read(token) {
      const bytes = Buffer.from(token, 'base64url');
      if (bytes.length !== LENGTH || bytes.toString('base64url') !== token) return null;
      const said = bytes.subarray(0, SIGNATURE_AT);
      const given = bytes.subarray(SIGNATURE_AT);
      if (!keys.some((key) => timingSafeEqual(getSignature(said, key), given))) return null;
      return {
        workspaceId: stringify(said, 0),
        id: stringify(said, FILE_AT),
        expiresAt: new Date(said.readUInt32BE(EXPIRY_AT) * 1000),
      };
    },
  };
}
