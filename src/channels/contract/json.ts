/** The JSON type that drivers exchange with Fairlead and with channels. */

/** Any JSON value. */
export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
