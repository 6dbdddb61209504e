/** What groups of the sandbox are held to. */
export const MAX_MEMBERS = 256;
export const MAX_PICTURE_BYTES = 1024 * 1024;
