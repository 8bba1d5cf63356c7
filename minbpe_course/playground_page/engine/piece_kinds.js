// The kinds of a SentencePiece piece, numbered as in the files.

export const NORMAL = 1;
export const CONTROL = 3;
export const USER_DEFINED = 4;
export const UNUSED = 5;

/** The kinds that text can become. */
export const WRITTEN_KINDS = [NORMAL, USER_DEFINED, UNUSED];
