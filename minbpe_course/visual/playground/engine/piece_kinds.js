// The kinds of a SentencePiece piece, numbered as in the files.

export const NORMAL = 1, CONTROL = 3, USER_DEFINED = 4, UNUSED = 5;

/** The kinds that text can become. */
export const WRITTEN_KINDS = [NORMAL, USER_DEFINED, UNUSED];
