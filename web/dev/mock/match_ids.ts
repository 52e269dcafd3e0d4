// The ids of the sample matches.

export const FIRST_MATCH = 1000;
export const MATCH_COUNT = 90;
/** A match that waits for an invited person. */
export const INVITED_MATCH = FIRST_MATCH + 86;
