/** JSON as drivers keep it and channels tell it. */

/** JSON that a driver wants kept for it. */
export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
