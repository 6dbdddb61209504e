/** What groups of the sandbox are held to. */
export const MOST_MEMBERS = 256;
export const MOST_PICTURE_BYTES = 1024 * 1024;
