/**
 * Parses JSON that Fairlead wrote: sealed secrets, files of its data directory, stored rows, messages between nodes.
 * JSON of others goes through foreign-json.ts; `npm run check:json` allows no other parser.
 */
import { parseLossless } from './lossless-json.ts';

/** Parses JSON that Fairlead wrote, as the type that it was written from. @throws SyntaxError */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the type that it wrote
export const parseOwnJson = <T>(text: string): T => JSON.parse(text) as T;

/** Parses JSON that Fairlead wrote, without changing numbers that others sent. @throws SyntaxError */
export const parseOwnLossless = (text: string): unknown => parseLossless(text, Infinity);
